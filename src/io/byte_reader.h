// ByteReader: a cursor over untrusted little-endian bytes that never reads past their end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in the file");

/// Does not own the bytes. A read past their end is an Error (kBadFile) that names the value and its place.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  int64_t position() const { return position_; }
  int64_t remaining() const { return static_cast<int64_t>(bytes_.size()) - position_; }

  template <class T>
  T number(std::string_view what) {
    T out;
    std::memcpy(&out, take(sizeof(T), what), sizeof(T));
    return out;
  }

  /// `count` numbers that check_count has accepted.
  template <class T>
  std::vector<T> numbers(int64_t count, std::string_view what) {
    std::vector<T> out(static_cast<size_t>(count));
    const int64_t size = count * static_cast<int64_t>(sizeof(T));
    const std::byte* from = take(size, what);
    if (size) std::memcpy(out.data(), from, static_cast<size_t>(size));
    return out;
  }

  /// Returns a string with its 64-bit length in front.
  std::string string(std::string_view what);

  /// Refuses a count whose items, of at least `min_bytes` each, could not fit into the rest: call it before allocating.
  int64_t check_count(uint64_t count, int64_t min_bytes, std::string_view what) const;

 private:
  const std::byte* take(int64_t size, std::string_view what);

  std::span<const std::byte> bytes_;
  int64_t position_ = 0;
};

}  // namespace skald
