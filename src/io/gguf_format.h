// The numbers, limits and tensor sizes on which GGUF's reader and writer must agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/meta.h"
#include "io/gguf.h"
#include "skald/error.h"

namespace skald::gguf {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF" in file order
constexpr uint32_t kVersion = 3;         // of the writer; the reader also takes 2, which has the same layout
constexpr uint32_t kMaxRank = Shape::kMaxRank;
constexpr int kMaxArrayDepth = 4;  // an array of numbers has depth 1

constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::string_view kSplitNo = "split.no", kSplitCount = "split.count", kSplitTensors = "split.tensors.count";

// Both throw an Error with the code `blame`: kBadFile when reading, kBadInput when writing.

/// Returns the alignment of tensor data: general.alignment, or 32 without it. The key must be a uint32 that is a power of
/// two from 8 (the specification wants a multiple of 8) to 16 MiB.
int64_t alignment(const Meta& meta, Errc blame);

/// Returns the bytes of a tensor's data, which has 1 to 4 dimensions of at least 1, and rows of whole blocks.
int64_t tensor_bytes(const GgufType& type, const Shape& shape, Errc blame);

}  // namespace skald::gguf
