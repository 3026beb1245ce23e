// Messages between ranks, which run the same program on processors of one byte order: values one after the other.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace skald {

class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_bytes(&value, sizeof value); }
  /// Their number, then they.
  template <class T>
  void put_all(std::span<const T> values) {
    put(static_cast<int64_t>(values.size()));
    put_bytes(values.data(), values.size_bytes());
  }
  void put_text(std::string_view text) { put_all(std::span(text)); }
  void put_bytes(const void* from, size_t n) {
    const auto* bytes = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + n);
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes the values off in the same order. A message that ends too early is a bug of ours.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T take() {
    T value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    std::vector<T> out(static_cast<size_t>(take<int64_t>()));
    if (!out.empty()) std::memcpy(out.data(), take_bytes(out.size() * sizeof(T)).data(), out.size() * sizeof(T));
    return out;
  }
  std::string take_text() {
    const std::vector<char> text = take_all<char>();
    return {text.begin(), text.end()};
  }
  std::span<const std::byte> take_bytes(size_t n) {
    SKALD_ASSERT(n <= left_.size());
    const auto out = left_.first(n);
    left_ = left_.subspan(n);
    return out;
  }
  bool done() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
};

}  // namespace skald
