// Where a prompt is worth coming back to, of sequences that cannot be truncated.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "skald/options.h"
#include "skald/types.h"

namespace skald {

/// Returns positions after `from`, ascending, at most options.most of them: the prompt's end, and before it multiples of 64.
/// Those are the last one that leaves a token to compute, the last one in each of the newest messages, and one in each
/// options.step tokens. Messages end where `ends_message` says so; it may be empty.
std::vector<int64_t> mark_points(std::span<const TokenId> prompt, int64_t from, const CheckpointOptions& options,
                                 const std::function<bool(TokenId)>& ends_message);

/// Returns positions after `from`, ascending, multiples of 64, at which recurrent states are kept for any later prompt that
/// begins alike. The last one that leaves a token to compute, the last one in each of the newest 64 messages, and every
/// 4096th.
std::vector<int64_t> state_points(std::span<const TokenId> prompt, int64_t from,
                                  const std::function<bool(TokenId)>& ends_message);

}  // namespace skald
