// Parsing one GGUF file, whole or a shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/meta.h"
#include "io/gguf.h"

namespace skald::gguf {

struct File {
  uint32_t version = 0;
  Meta meta;
  std::vector<GgufTensor> tensors;  // data points into the bytes that were parsed
};

/// Throws kBadFile for anything inconsistent, kUnsupported for other versions and big-endian files. Needs memory of a small
/// multiple of the file's head, for any numbers in it.
File parse(std::span<const std::byte> bytes);

/// Returns the keys that are whole in a file's beginning. Throws as parse() does for a file that is not GGUF.
Meta parse_beginning(std::span<const std::byte> bytes);

/// name -> place in `tensors`, whose names must outlive the result; a name that occurs twice is kBadFile.
std::unordered_map<std::string_view, size_t> index_by_name(const std::vector<GgufTensor>& tensors);

}  // namespace skald::gguf
