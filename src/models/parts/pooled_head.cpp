#include "models/parts/pooled_head.h"

namespace skald {
namespace {

constexpr float kNormEps = 1e-5f;  // of PyTorch's LayerNorm; no key says it

Tensor tanh_of(Tensor x) { return softcap(x, 1); }

}  // namespace

Tensor score_head(Net& net, Tensor x, const ScoreHead& head) {
  if (net.has_weight("cls.weight")) {
    x = net.linear("cls", x, net.rows_of("cls.weight"));
    x = head.activation ? activation(x, *head.activation) : tanh_of(x);
    if (net.has_weight("cls.norm.weight")) x = net.layer_norm("cls.norm", x, kNormEps);
  }
  return net.linear("cls.output", x, net.rows_of("cls.output.weight"));
}

Tensor dense_head(Net& net, Tensor x) {
  for (const char* name : {"dense_2", "dense_3"})
    if (const std::string weight = std::string(name) + ".weight"; net.has_weight(weight))
      x = net.linear(name, x, net.rows_of(weight));
  return x;
}

}  // namespace skald
