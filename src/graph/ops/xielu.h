// xielu: with p, n, b and e as attributes, p x^2 + b x above 0, else n (exp(min(x, e)) - 1 - x) + b x; element-wise. Huang &
// Schlag, arXiv 2411.13010.
#pragma once

#include <string>

#include "graph/graph.h"

namespace skald {

struct Xielu {
  float alpha_p = 0, alpha_n = 0, beta = 0;
  float eps = 0;  // e < 0: keeps the exponential's difference from 1 from vanishing
  std::string describe() const;
  friend bool operator==(const Xielu&, const Xielu&) = default;
};

extern const OpDef op_xielu;

Tensor xielu(Tensor x, const Xielu& a);

}  // namespace skald
