// Activation: the element-wise functions of feed-forward layers, as graphs name them and kernels compute them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

/// GELU is x times the share of a normal distribution below x; Hendrycks & Gimpel, arXiv 1606.08415, which has both forms.
enum class Activation : uint8_t {
  kSilu,      // x / (1 + exp(-x)); Ramachandran et al., arXiv 1710.05941 (swish)
  kGelu,      // x / 2 * (1 + erf(x / sqrt(2)))
  kGeluTanh,  // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  kRelu,      // max(x, 0)
};
inline constexpr size_t kActivations = 4;

}  // namespace skald
