// A product with a row of a weight, decoded number by number. Its sum runs over the columns in order.
#pragma once

#include "kernels/gpu/simt.h"

namespace skald::gpu {

template <class Format>
SIMT_DEV float product(const std::byte* weights, const float* x, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum = simt::fma1(Format::at(weights, i), x[i], sum);
  return sum;
}

}  // namespace skald::gpu
