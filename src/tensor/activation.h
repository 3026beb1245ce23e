// Activation: the element-wise functions of feed-forward layers, as graphs name them and kernels compute them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

/// GELU is x times the share of a normal distribution below x; Hendrycks & Gimpel, arXiv 1606.08415, which has both forms.
enum class Activation : uint8_t {
  kSilu,         // x / (1 + exp(-x)); Ramachandran et al., arXiv 1710.05941 (swish)
  kGelu,         // x / 2 * (1 + erf(x / sqrt(2)))
  kGeluTanh,     // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  kRelu,         // max(x, 0)
  kReluSquared,  // max(x, 0)^2; So et al., arXiv 2109.08668
  kSigmoid,      // 1 / (1 + exp(-x))
  // Those of gpt-oss, arXiv 2508.10925:
  kClampedSilu,    // c / (1 + exp(-1.702 c)) with c = min(x, 7); gated units take 1 + up, limited as below, for up
  kClampedLinear,  // 1 + x, x limited to -7 .. 7
};
inline constexpr size_t kActivations = 8;
inline constexpr float kClampLimit = 7.0f, kClampedSlope = 1.702f;

}  // namespace skald
