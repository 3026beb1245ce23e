// Activations and gated units. What is no number stays none, and infinity has no limit that hides it.
#pragma once

#include "kernels/gpu/simt.h"
#include "tensor/activation.h"

namespace skald::gpu {

SIMT_DEV float sigmoid(float x) { return 1 / (1 + simt::exponential(-x)); }
/// y = f(x), bounded on a side: no number for an infinite x there.
SIMT_DEV float bounded(float x, float y) { return simt::fma1(x, 0.0f, y); }
SIMT_DEV float relu(float x) { return bounded(x, x < 0 ? 0 : x); }
SIMT_DEV float limited(float x) { return x < -kClampLimit ? -kClampLimit : x > kClampLimit ? kClampLimit : x; }

/// See Activation.
template <Activation kFunction>
SIMT_DEV float apply(float x) {
  if constexpr (kFunction == Activation::kSilu) return x / (1 + simt::exponential(-x));
  if constexpr (kFunction == Activation::kGelu) return 0.5f * x * (1 + simt::error_function(x * 0.70710678f));
  if constexpr (kFunction == Activation::kGeluTanh)
    return x / (1 + simt::exponential(-x * (1.59576912f + 0.0713548163f * x * x)));
  if constexpr (kFunction == Activation::kRelu) return relu(x);
  if constexpr (kFunction == Activation::kReluSquared) return bounded(x, x < 0 ? 0 : x * x);
  if constexpr (kFunction == Activation::kSigmoid) return bounded(x, sigmoid(x));
  if constexpr (kFunction == Activation::kClampedSilu) {
    const float c = x > kClampLimit ? kClampLimit : x;
    return bounded(x, c / (1 + simt::exponential(-kClampedSlope * c)));
  }
  if constexpr (kFunction == Activation::kClampedLinear) return bounded(x, 1 + limited(x));
}

template <Activation kFunction>
SIMT_DEV float gated(float gate, float up) {
  return apply<kFunction>(gate) * (kFunction == Activation::kClampedSilu ? apply<Activation::kClampedLinear>(up) : up);
}

}  // namespace skald::gpu
