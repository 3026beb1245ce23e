// Element-wise operations: sums, products, activations and gated units. Bound: the bytes of the rows.
#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/rows.inl"

namespace skald::gpu {
namespace {

constexpr int kThreads = 128;
constexpr float kLog2E = 1.44269504f;

SIMT_DEV float sigmoid(float x) { return 1 / (1 + simt::power_of_2(-kLog2E * x)); }
SIMT_DEV float limited(float x) { return x < -kClampLimit ? -kClampLimit : x > kClampLimit ? kClampLimit : x; }

// See Activation.
template <Activation kFunction>
SIMT_DEV float apply(float x) {
  if constexpr (kFunction == Activation::kSilu) return x * sigmoid(x);
  if constexpr (kFunction == Activation::kGelu) return 0.5f * x * (1 + simt::error_function(x * 0.70710678f));
  if constexpr (kFunction == Activation::kGeluTanh) return x * sigmoid(x * (1.59576912f + 0.0713548163f * x * x));
  if constexpr (kFunction == Activation::kRelu) return x < 0 ? 0 : x;
  if constexpr (kFunction == Activation::kReluSquared) return x < 0 ? 0 : x * x;
  if constexpr (kFunction == Activation::kSigmoid) return sigmoid(x);
  if constexpr (kFunction == Activation::kClampedSilu) {
    const float c = x > kClampLimit ? kClampLimit : x;
    return c * sigmoid(kClampedSlope * c);
  }
  if constexpr (kFunction == Activation::kClampedLinear) return 1 + limited(x);
}

struct Add {
  SIMT_DEV static float of(float a, float b) { return a + b; }
};
struct Mul {
  SIMT_DEV static float of(float a, float b) { return a * b; }
};
template <Activation kFunction>
struct Gated {
  SIMT_DEV static float of(float gate, float up) {
    return apply<kFunction>(gate) * (kFunction == Activation::kClampedSilu ? 1 + limited(up) : up);
  }
};

// The number of a row that this thread computes, if there is one.
SIMT_DEV int64_t column() { return int64_t{simt::block_x()} * kThreads + simt::thread(); }
simt::Shape shape_of(int64_t n, int64_t rows) { return {{blocks_for(n, kThreads), static_cast<unsigned>(rows)}, kThreads}; }

template <class Op>
SIMT_KERNEL void binary(BinaryArgs a) {
  const int64_t row = simt::block_y(), i = column();
  simt::wait_for_previous();
  if (!has_row(a.rows, row) || i >= a.n) return;
  const float b = a.b.data[row * a.b.step + i % a.period / a.run];
  a.out.data[row * a.out.step + i] = Op::of(a.a.data[row * a.a.step + i], b);
}

template <class Op>
void launch_binary(simt::Stream stream, const BinaryArgs& a, int64_t rows) {
  simt::launch<binary<Op>>(stream, shape_of(a.n, rows), a);
}

template <Activation kFunction>
SIMT_KERNEL void activation(ElementwiseArgs a) {
  const int64_t row = simt::block_y(), i = column();
  simt::wait_for_previous();
  if (!has_row(a.rows, row) || i >= a.n) return;
  a.out.data[row * a.out.step + i] = apply<kFunction>(a.a.data[row * a.a.step + i]);
}

template <Activation kFunction>
void launch_activation(simt::Stream stream, const ElementwiseArgs& a, int64_t rows) {
  simt::launch<activation<kFunction>>(stream, shape_of(a.n, rows), a);
}

template <class Op>
SIMT_KERNEL void gated(ElementwiseArgs a) {
  const int64_t row = simt::block_y(), i = column();
  simt::wait_for_previous();
  if (!has_row(a.rows, row) || i >= a.n) return;
  a.out.data[row * a.out.step + i] = Op::of(a.a.data[row * a.a.step + i], a.b.data[row * a.b.step + i]);
}

template <class Op>
void launch_gated(simt::Stream stream, const ElementwiseArgs& a, int64_t rows) {
  simt::launch<gated<Op>>(stream, shape_of(a.n, rows), a);
}

template <size_t kFunction = 0>
void fill_functions(GpuKernels& kernels) {
  if constexpr (kFunction < kActivations) {
    constexpr auto kOf = static_cast<Activation>(kFunction);
    kernels.activation[kFunction] = launch_activation<kOf>;
    kernels.glu[kFunction] = launch_gated<Gated<kOf>>;
    fill_functions<kFunction + 1>(kernels);
  }
}

}  // namespace

template <>
void fill_elementwise<simt::Target>(GpuKernels& kernels) {
  kernels.add = launch_binary<Add>;
  kernels.mul = launch_binary<Mul>;
  fill_functions(kernels);
}

}  // namespace skald::gpu
