// Digest: the sum of a content by SHA-256 or SHA-1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// Of a content that comes in pieces.
class Digest {
 public:
  enum class Kind : uint8_t { kSha256, kSha1 };

  /// Throws kUnsupported where OpenSSL lacks it.
  explicit Digest(Kind kind);
  ~Digest();
  Digest(Digest&&) noexcept;
  Digest& operator=(Digest&&) noexcept;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  /// Call it once, last.
  std::vector<std::byte> finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

using Sha256Sum = std::array<std::byte, 32>;

/// Finishes it.
Sha256Sum sha256_of(Digest digest);
/// Hashes the pieces as one text.
Sha256Sum sha256(std::initializer_list<std::span<const std::byte>> pieces);
/// HMAC (RFC 2104) with SHA-256; a key may be empty.
Sha256Sum hmac_sha256(std::string_view key, std::span<const std::byte> content);

/// RFC 4648, with padding.
std::string base64(std::span<const std::byte> bytes);
/// Two lower-case digits a byte.
std::string hexadecimal(std::span<const std::byte> bytes);

}  // namespace skald
