// Values that are NaN or infinite, found by their bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/format.h"

namespace skald {

/// Whether none of n values (f32, f16 or bf16) is NaN or infinite. Other formats' values are not looked at: true.
bool all_finite(const Format& format, const std::byte* values, int64_t n);

}  // namespace skald
