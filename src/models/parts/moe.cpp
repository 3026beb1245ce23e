#include "models/parts/moe.h"

#include <algorithm>

#include "base/error.h"
#include "graph/ops/softmax.h"

namespace skald {
namespace {

constexpr int64_t kMaxExperts = 65536, kMaxDim = int64_t{1} << 24;

// Softmax keeps the order of logits: experts are chosen by these, where nothing is added.
Tensor scores_of(Tensor logits, Routing routing) {
  switch (routing) {
    case Routing::kSoftmax:
      return softmax(logits);
    case Routing::kSigmoid:
      return sigmoid(logits);
    case Routing::kSoftmaxChosen:
      break;
  }
  return logits;
}

// Inner width of a block that ends in the weight `down` (..., d_model, width), which not all layers have. Older files do not
// say it, or say a sum of several blocks'.
int64_t width(const Net& net, const MetaView& m, std::string_view key, std::string_view down, const DecoderParams& p) {
  if (m.has(key)) return m.in_range(key, 1, kMaxDim);
  for (int64_t i = 0; i < p.n_layers; ++i)
    if (const std::optional<Shape> shape = net.layer_at(i).shape_of(down)) return shape->back();
  return p.d_ff;
}

}  // namespace

int64_t shared_width(const Net& net, const MetaView& m, const DecoderParams& p) {
  return width(net, m, "expert_shared_feed_forward_length", "ffn_down_shexp.weight", p);
}

MoeParams read_moe(const Net& net, const MetaView& m, const DecoderParams& decoder) {
  MoeParams p{};
  p.n_experts = m.in_range("expert_count", 1, kMaxExperts);
  p.choice.k = m.in_range("expert_used_count", 1, p.n_experts);
  p.d_ff = width(net, m, "expert_feed_forward_length", "ffn_down_exps.weight", decoder);
  if (m.has("expert_group_count")) {
    p.choice.groups = m.in_range("expert_group_count", 1, p.n_experts);
    p.choice.groups_used = m.in_range("expert_group_used_count", 1, p.choice.groups);
  }
  return p;
}

void read_routing(const MetaView& m, MoeParams& p) {
  const int64_t function = m.i64("expert_gating_func", 1);
  if (function < 1 || function > 3)
    fail(Errc::kUnsupported,
         "key {}: function {} is not supported; known: 1 (softmax), 2 (sigmoid), 3 (softmax of the chosen)",
         m.full("expert_gating_func"), function);
  p.routing = function == 1 ? Routing::kSoftmax : function == 2 ? Routing::kSigmoid : Routing::kSoftmaxChosen;
  p.normalise = m.flag("expert_weights_norm", false);
  p.scale = m.f32("expert_weights_scale", 1.0f);
  // By softmax, a group is as good as its best expert; by sigmoids, as its best two.
  p.choice.group_best = p.routing == Routing::kSigmoid ? std::min<int64_t>(2, p.n_experts / p.choice.groups) : 1;
}

Tensor shared_ffn(Net& blk, Tensor h, int64_t d_ff) {
  return blk.linear("ffn_down_shexp", blk.glu_linear("ffn_gate_shexp", "ffn_up_shexp", h, d_ff, Activation::kSilu),
                    h.cols());
}

Tensor moe_ffn(Net& blk, Tensor h, const MoeParams& p) {
  const Tensor scores = scores_of(blk.linear("ffn_gate_inp", h, p.n_experts, p.bias), p.routing);
  const Tensor ids = blk.choose_experts(scores, p.choice, "exp_probs_b.bias");
  const Tensor weights = blk.weigh_experts(scores, ids, {p.routing == Routing::kSoftmaxChosen, p.normalise, p.scale});
  const Tensor inner =
      blk.expert_glu_linear("ffn_gate_exps", "ffn_up_exps", h, ids, p.n_experts, p.d_ff, p.activation, p.bias);
  return blk.mix_experts("ffn_down_exps", inner, ids, weights, p.n_experts, h.cols(), p.bias);
}

}  // namespace skald
