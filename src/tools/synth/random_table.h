// Random numbers in memory.
#pragma once

#include <cstdint>

#include "tensor/buffer.h"

namespace skald {

/// f32 (rows, cols) of variance 1 about 0, nearly normal, the same for the same seed.
Buffer random_table(int64_t rows, int64_t cols, uint64_t seed);

}  // namespace skald
