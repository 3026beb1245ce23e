// Element-wise operations: sums, products, functions of one number and gated units. Bound: the bytes of the rows.
#include "kernels/gpu/activations.inl"
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/row_forms.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;

struct Add {
  SIMT_DEV static float of(float a, float b) { return a + b; }
};
struct Mul {
  SIMT_DEV static float of(float a, float b) { return a * b; }
};

struct Scale {
  SIMT_DEV static float of(float x, const UnaryArgs& a) { return a.numbers[0] * x; }
};
struct Clamp {  // no number for an infinite one
  SIMT_DEV static float of(float x, const UnaryArgs& a) {
    const float limit = a.numbers[0];
    return bounded(x, x < -limit ? -limit : x > limit ? limit : x);
  }
};
struct Softcap {  // likewise
  SIMT_DEV static float of(float x, const UnaryArgs& a) {
    const float cap = a.numbers[0];
    return bounded(x, cap * simt::hyperbolic_tangent(x / cap));
  }
};
struct Rsqrt {
  SIMT_DEV static float of(float x, const UnaryArgs& a) { return simt::inv_sqrt(x + a.numbers[0]); }
};
struct Sigmoid {
  SIMT_DEV static float of(float x, const UnaryArgs&) { return sigmoid(x); }
};
struct Softplus {
  SIMT_DEV static float of(float x, const UnaryArgs&) {
    return (x < 0 ? 0 : x) + simt::log_plus_1(simt::exponential(-simt::magnitude(x)));
  }
};
struct Xielu {
  SIMT_DEV static float of(float x, const UnaryArgs& a) {
    const float alpha_p = a.numbers[0], alpha_n = a.numbers[1], beta = a.numbers[2], eps = a.numbers[3];
    if (x > 0) return alpha_p * x * x + beta * x;
    return alpha_n * (simt::exponential_minus_1(eps < x ? eps : x) - x) + beta * x;
  }
};
template <Activation kFunction>
struct Activated {
  SIMT_DEV static float of(float x, const UnaryArgs&) { return apply<kFunction>(x); }
};

// The number of a row that this thread computes, if there is one.
SIMT_DEV int64_t column() { return int64_t{simt::block_x()} * kThreads + simt::thread(); }
simt::Shape shape_of(int64_t n, int64_t rows) { return {{blocks_for(n, kThreads), static_cast<unsigned>(rows)}, kThreads}; }

template <class Op>
SIMT_KERNEL void binary(BinaryArgs a) {
  const int64_t row = simt::block_y(), i = column();
  if (!begin_row(a.rows, row) || i >= a.n) return;
  const float b = a.b.data[row * a.b.step + i % a.period / a.run];
  a.out.data[row * a.out.step + i] = Op::of(a.a.data[row * a.a.step + i], b);
}

template <class Op>
void launch_binary(simt::Stream stream, const BinaryArgs& a, int64_t rows) {
  launch_early<binary<Op>>(stream, shape_of(a.n, rows), a);
}

// y(i), of a row's columns, as numbers and in the forms that are wanted.
template <class Args, class Y>
SIMT_DEV void put_columns(const Args& a, Y y) {
  const int64_t row = simt::block_y(), i = column(), block = i / simt::kWarp;
  if (!begin_row(a.rows, row) || block >= form_blocks(a.forms, a.n)) return;
  const float v = i < a.n ? y(row, i) : 0.0f;
  if (i < a.n) a.out.data[row * a.out.step + i] = v;
  put_forms(a.forms, row, block, v);
}
// For as many columns as forms have.
simt::Shape shape_of(const RowForms& forms, int64_t n, int64_t rows) {
  return shape_of(forms.coded.codes ? forms.units * kUnitColumns : n, rows);
}

template <class Op>
SIMT_KERNEL void unary(UnaryArgs a) {
  put_columns(a, [&](int64_t row, int64_t i) { return Op::of(a.x.data[row * a.x.step + i], a); });
}

template <class Op>
void launch_unary(simt::Stream stream, const UnaryArgs& a, int64_t rows) {
  launch_early<unary<Op>>(stream, shape_of(a.forms, a.n, rows), a);
}

template <Activation kFunction>
SIMT_KERNEL void glu(GluArgs a) {
  put_columns(a, [&](int64_t row, int64_t i) {
    return gated<kFunction>(a.gate.data[row * a.gate.step + i], a.up.data[row * a.up.step + i]);
  });
}

template <Activation kFunction>
void launch_glu(simt::Stream stream, const GluArgs& a, int64_t rows) {
  launch_early<glu<kFunction>>(stream, shape_of(a.forms, a.n, rows), a);
}

template <size_t kFunction = 0>
void fill_functions(GpuKernels& kernels) {
  if constexpr (kFunction < kActivations) {
    constexpr auto kOf = static_cast<Activation>(kFunction);
    kernels.activation[kFunction] = launch_unary<Activated<kOf>>;
    kernels.glu[kFunction] = launch_glu<kOf>;
    fill_functions<kFunction + 1>(kernels);
  }
}

}  // namespace

template <>
void fill_elementwise<simt::Target>(GpuKernels& kernels) {
  kernels.add = launch_binary<Add>;
  kernels.mul = launch_binary<Mul>;
  kernels.scale = launch_unary<Scale>;
  kernels.clamp = launch_unary<Clamp>;
  kernels.softcap = launch_unary<Softcap>;
  kernels.rsqrt = launch_unary<Rsqrt>;
  kernels.sigmoid = launch_unary<Sigmoid>;
  kernels.softplus = launch_unary<Softplus>;
  kernels.xielu = launch_unary<Xielu>;
  fill_functions(kernels);
}

}  // namespace skald::gpu
