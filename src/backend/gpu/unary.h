// Operations that compute each number from one, and from a few constants.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "backend/gpu/gpu_op.h"

namespace skald::gpu {

inline void launch_unary(const GpuContext& cx, Launch<UnaryArgs> kernel, const GpuOpArgs& io,
                         std::initializer_list<float> numbers = {}) {
  UnaryArgs args{.rows = io.count, .x = matrix(io.in[0]), .out = matrix(io.out), .n = io.out.cols()};
  args.forms = io.made_forms();
  std::copy(numbers.begin(), numbers.end(), args.numbers);
  kernel(cx.stream, args, io.rows);
}

}  // namespace skald::gpu
