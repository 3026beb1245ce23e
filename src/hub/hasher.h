// Hasher: the sum that a content is named by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/digest.h"

namespace skald {

/// Of a content that comes in pieces: SHA-256, or git's SHA-1, which is that of "blob <size>", a zero, and the content.
class Hasher {
 public:
  /// For a content whose name is `blob`: of 64 digits SHA-256, of 40 git's SHA-1, for which `size` is known beforehand.
  Hasher(std::string_view blob, int64_t size);

  void add(std::span<const std::byte> bytes) { digest_.add(bytes); }
  /// Returns the sum in hexadecimal digits, in lower case. Call it once, last.
  std::string finish() { return hexadecimal(digest_.finish()); }

 private:
  Digest digest_;
};

}  // namespace skald
