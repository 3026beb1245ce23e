// Made-up weights of any format, for synthetic models, benchmarks and tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/format.h"

namespace skald {

/// Returns whether there are any: the format can be encoded, or its scales can be set.
bool can_make_up(const Format& format);

/// n random elements, a multiple of the format's block, that spread over about +-largest. The same for the same seed.
std::vector<std::byte> made_up_weights(const Format& format, int64_t n, float largest, uint64_t seed = 1);

/// Returns the given values where the format can be encoded; else made-up ones that spread over about +-largest.
std::vector<std::byte> encoded_or_made_up(const Format& format, std::span<const float> values, float largest,
                                          uint64_t seed = 1);

}  // namespace skald
