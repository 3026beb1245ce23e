// The choice of a token from what a step gave.
#pragma once

#include "sampling/sampler.h"
#include "stepping/logits.h"

namespace skald {

/// As Sampler::pick() does with the row of logits. The row is read only where what the device tells of it is not enough.
TokenId pick(Sampler& sampler, const Logits& logits, int64_t row, const TokenMask* allowed = nullptr);

}  // namespace skald
