// Element-wise operations of one value.
#pragma once

#include <string>

#include "graph/graph.h"

namespace skald {

/// x times a constant.
struct ScaleBy {
  float factor = 1;
  std::string describe() const;
  friend bool operator==(const ScaleBy&, const ScaleBy&) = default;
};

/// x, but not beyond a limit on either side of 0.
struct Clamp {
  float limit = 0;  // > 0
  std::string describe() const;
  friend bool operator==(const Clamp&, const Clamp&) = default;
};

/// c * tanh(x / c), a smooth limit; Gemma 2, arXiv 2408.00118.
struct Softcap {
  float cap = 0;  // c > 0
  std::string describe() const;
  friend bool operator==(const Softcap&, const Softcap&) = default;
};

/// 1 / sqrt(x + eps).
struct Rsqrt {
  float eps = 0;
  friend bool operator==(const Rsqrt&, const Rsqrt&) = default;
};

extern const OpDef op_scale;
extern const OpDef op_clamp;
extern const OpDef op_softcap;
extern const OpDef op_rsqrt;
extern const OpDef op_sigmoid;   // 1 / (1 + exp(-x))
extern const OpDef op_softplus;  // ln(1 + exp(x))

Tensor scale(Tensor x, float factor);
Tensor clamp(Tensor x, float limit);
Tensor softcap(Tensor x, float cap);
Tensor rsqrt(Tensor x, float eps);
Tensor sigmoid(Tensor x);
Tensor softplus(Tensor x);

}  // namespace skald
