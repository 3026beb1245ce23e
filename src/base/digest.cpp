#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace skald {

struct Digest::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  Context() = default;
  ~Context() { EVP_MD_CTX_free(evp); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Digest::Digest(Kind kind) : context_(std::make_unique<Context>()) {
  const bool sha1 = kind == Kind::kSha1;
  if (!context_->evp || EVP_DigestInit_ex(context_->evp, sha1 ? EVP_sha1() : EVP_sha256(), nullptr) != 1)
    fail(Errc::kUnsupported, "OpenSSL has no {}", sha1 ? "SHA-1" : "SHA-256");
}

Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::add(std::span<const std::byte> bytes) { EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()); }

std::vector<std::byte> Digest::finish() {
  std::vector<std::byte> sum(EVP_MAX_MD_SIZE);
  unsigned length = 0;
  EVP_DigestFinal_ex(context_->evp, reinterpret_cast<unsigned char*>(sum.data()), &length);
  sum.resize(length);
  return sum;
}

Sha256Sum sha256_of(Digest digest) {
  Sha256Sum out{};
  std::ranges::copy(digest.finish(), out.begin());
  return out;
}

Sha256Sum sha256(std::initializer_list<std::span<const std::byte>> pieces) {
  Digest digest(Digest::Kind::kSha256);
  for (const std::span<const std::byte> piece : pieces) digest.add(piece);
  return sha256_of(std::move(digest));
}

Sha256Sum hmac_sha256(std::string_view key, std::span<const std::byte> content) {
  Sha256Sum out;
  unsigned length = 0;
  const auto* const text = reinterpret_cast<const unsigned char*>(content.data());
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), text, content.size(),
            reinterpret_cast<unsigned char*>(out.data()), &length))
    fail(Errc::kUnsupported, "OpenSSL has no HMAC with SHA-256");
  return out;
}

std::string base64(std::span<const std::byte> bytes) {
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock ends it with a zero
  const int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(n));
  return out;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte b : bytes) fmt::format_to(std::back_inserter(out), "{:02x}", std::to_integer<unsigned>(b));
  return out;
}

}  // namespace skald
