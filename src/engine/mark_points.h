// Where a prompt is worth coming back to, of sequences that cannot be truncated.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "skald/options.h"
#include "skald/types.h"

namespace skald {

/// Positions behind `from`, ascending, at most options.most of them: the prompt's end, and before it multiples of 64: the
/// last one that leaves a token to compute, the last one in each of the newest messages (which end where `ends_message`
/// says so; may be empty), and one in each options.step tokens.
std::vector<int64_t> mark_points(std::span<const TokenId> prompt, int64_t from, const CheckpointOptions& options,
                                 const std::function<bool(TokenId)>& ends_message);

/// Positions behind `from`, ascending, multiples of 64: what is kept of recurrent states for any later prompt that begins
/// alike. The last one that leaves a token to compute, the last one in each of the newest 64 messages, and every 4096th.
std::vector<int64_t> state_points(std::span<const TokenId> prompt, int64_t from,
                                  const std::function<bool(TokenId)>& ends_message);

}  // namespace skald
