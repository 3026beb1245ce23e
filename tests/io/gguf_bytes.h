// GgufBytes: GGUF files written field by field, so that tests can also write wrong ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "io/gguf.h"
#include "tests/support/errors.h"

namespace skald::test {

class GgufBytes {
 public:
  /// Magic, version and counts.
  GgufBytes& head(uint64_t tensors, uint64_t pairs, uint32_t version = 3) {
    bytes_ = "GGUF";
    return number(version).number(tensors).number(pairs);
  }

  template <class T>
  GgufBytes& number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }

  GgufBytes& text(std::string_view s) {
    number(static_cast<uint64_t>(s.size()));
    bytes_ += s;
    return *this;
  }

  /// A key and the type of the value that must follow.
  GgufBytes& key(std::string_view name, uint32_t type) { return text(name).number(type); }

  GgufBytes& tensor(std::string_view name, std::initializer_list<uint64_t> dims, uint32_t type, uint64_t offset) {
    text(name).number(static_cast<uint32_t>(dims.size()));
    for (const uint64_t n : dims) number(n);
    return number(type).number(offset);
  }

  /// Pads to `alignment`, then appends `size` bytes of data.
  GgufBytes& data(size_t size, size_t alignment = 32) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment, '\0');
    bytes_.append(size, '\1');
    return *this;
  }

  const std::string& str() const { return bytes_; }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(bytes_)); }
  Gguf parse() const { return Gguf::parse(span()); }
  Error error() const {
    return error_of([&] { parse(); });
  }

 private:
  std::string bytes_;
};

// GGUF's numbers for value types and for two tensor types.
constexpr uint32_t kUint8 = 0, kUint32 = 4, kBool = 7, kString = 8, kArray = 9;
constexpr uint32_t kF32 = 0, kQ8_0 = 8;

}  // namespace skald::test
