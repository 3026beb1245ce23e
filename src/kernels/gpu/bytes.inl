// Numbers of bytes, without conversions, which have a quarter of the rate of other instructions.
#pragma once

#include "kernels/gpu/simt.h"

namespace skald::gpu {

/// Byte `i` of a word, less a number: the byte is the mantissa of 2^23.
SIMT_DEV float byte_less(uint32_t word, int i, int less) {
  return simt::as_float(simt::permute(word, 0x4b000000U, 0x7440U + static_cast<uint32_t>(i))) -
         (8388608.0f + static_cast<float>(less));
}

}  // namespace skald::gpu
