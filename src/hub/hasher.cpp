#include "hub/hasher.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/error.h"

namespace skald {

struct Hasher::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  Context() = default;
  ~Context() { EVP_MD_CTX_free(evp); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Hasher::Hasher(std::string_view blob, int64_t size) : context_(std::make_unique<Context>()) {
  constexpr size_t kSha256Digits = 64;
  const bool git = blob.size() != kSha256Digits;
  if (!context_->evp || EVP_DigestInit_ex(context_->evp, git ? EVP_sha1() : EVP_sha256(), nullptr) != 1)
    fail(Errc::kUnsupported, "OpenSSL has no {}", git ? "SHA-1" : "SHA-256");
  if (!git) return;
  const std::string head = fmt::format("blob {}", size);
  add(std::as_bytes(std::span(head.c_str(), head.size() + 1)));  // its zero too
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(std::span<const std::byte> bytes) { EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()); }

std::string Hasher::finish() {
  unsigned char sum[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_DigestFinal_ex(context_->evp, sum, &length);
  std::string out;
  for (unsigned i = 0; i < length; ++i) out += fmt::format("{:02x}", sum[i]);
  return out;
}

}  // namespace skald
