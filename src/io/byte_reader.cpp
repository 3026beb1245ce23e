// ByteReader: the bounds checks.
#include "io/byte_reader.h"

#include "base/error.h"

namespace skald {

const std::byte* ByteReader::take(int64_t size, std::string_view what) {
  if (size > remaining())
    fail(Errc::kBadFile, "the file is cut short: {} needs {} bytes at byte {}, {} are left", what, size, position_,
         remaining());
  const std::byte* out = bytes_.data() + position_;
  position_ += size;
  return out;
}

std::string ByteReader::string(std::string_view what) {
  const int64_t length = check_count(number<uint64_t>(what), 1, what);
  const std::byte* text = take(length, what);
  return {reinterpret_cast<const char*>(text), static_cast<size_t>(length)};
}

int64_t ByteReader::check_count(uint64_t count, int64_t min_bytes, std::string_view what) const {
  if (count > static_cast<uint64_t>(remaining() / min_bytes))
    fail(Errc::kBadFile, "{}: length {} does not fit into the {} bytes that are left", what, count, remaining());
  return static_cast<int64_t>(count);
}

}  // namespace skald
