// Safetensors: a strict reader. Format: huggingface.co/docs/safetensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"

namespace skald {

enum class SafetensorsType : uint8_t {
  kBool,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kU16,
  kI16,
  kF16,
  kBF16,
  kU32,
  kI32,
  kF32,
  kU64,
  kI64,
  kF64,
};

/// As the format spells it: "BF16".
std::string_view name_of(SafetensorsType type);
int64_t bytes_of(SafetensorsType type);

struct SafetensorsTensor {
  std::string name;
  SafetensorsType type;
  std::vector<int64_t> shape;  // row-major; empty: a single number
  std::span<const std::byte> data;

  int64_t elements() const { return static_cast<int64_t>(data.size()) / bytes_of(type); }
};

/// A parsed file. Owns the bytes that the tensors point into, which may lie at any address.
class Safetensors {
 public:
  /// Throws an Error that names the file and the tensor: kBadFile for anything inconsistent (lengths, offsets, overlaps,
  /// gaps, names twice), kUnsupported for unknown types.
  static Safetensors open(const std::string& path, FileBytes::How how);

  /// Parses bytes that the caller keeps alive.
  static Safetensors parse(std::span<const std::byte> bytes);

  Safetensors(Safetensors&&) noexcept = default;
  Safetensors& operator=(Safetensors&&) noexcept = default;

  /// In the order of their data.
  const std::vector<SafetensorsTensor>& tensors() const { return tensors_; }
  /// Returns nullptr when there is none.
  const SafetensorsTensor* find(std::string_view name) const;

 private:
  Safetensors() = default;

  std::vector<SafetensorsTensor> tensors_;
  std::unordered_map<std::string_view, size_t> by_name_;  // keys are the names in tensors_, which moves keep in place
  std::optional<FileBytes> file_;                         // none after parse()
};

}  // namespace skald
