#include "serve/batch/batch_ids.h"

#include <openssl/sha.h>

#include <cstring>

namespace skald::serve {

BatchIds::Sum BatchIds::sum_of(std::string_view name) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), digest.data());
  Sum out;
  std::memcpy(out.data(), digest.data(), sizeof out);
  return out;
}

std::optional<int64_t> BatchIds::add(std::string_view name, int64_t number) {
  const auto [at, added] = known_.emplace(sum_of(name), number);
  return added ? std::nullopt : std::optional(at->second);
}

std::optional<int64_t> BatchIds::find(std::string_view name) const {
  const auto at = known_.find(sum_of(name));
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace skald::serve
