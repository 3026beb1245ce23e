// Logits of every position of a token sequence, by any mix of prefill and decode.
#pragma once

#include <span>
#include <vector>

#include "stepping/compute.h"

namespace skald {

/// (tokens, n_vocab) row-major. The first `decode_from` tokens are computed in steps of at most `ubatch`, the rest one at a
/// time; decode_from < 0: all in steps. Throws kBadInput for ids outside the vocabulary.
std::vector<float> compute_logits(const LoadedModel& model, const EngineOptions& options, std::span<const TokenId> tokens,
                                  int64_t decode_from);

}  // namespace skald
