#include "hub/hasher.h"

#include <fmt/format.h>

namespace skald {
namespace {

constexpr size_t kSha256Digits = 64;

}  // namespace

Hasher::Hasher(std::string_view blob, int64_t size)
    : digest_(blob.size() == kSha256Digits ? Digest::Kind::kSha256 : Digest::Kind::kSha1) {
  if (blob.size() == kSha256Digits) return;
  const std::string head = fmt::format("blob {}", size);
  add(std::as_bytes(std::span(head.c_str(), head.size() + 1)));  // its zero too
}

}  // namespace skald
