#include "stepping/stepper.h"

#include "base/error.h"

namespace skald {

std::shared_ptr<const DeviceAdapter> Stepper::adapt(std::shared_ptr<const Adapter>) {
  fail(Errc::kUnsupported, "these steps apply no adapters");
}

void check_tokens(std::span<const TokenId> tokens, int64_t n_vocab) {
  for (TokenId id : tokens)
    if (id < 0 || id >= n_vocab) fail(Errc::kBadInput, "token id {} is outside the vocabulary of {}", id, n_vocab);
}

}  // namespace skald
