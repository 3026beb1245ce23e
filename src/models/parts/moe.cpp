#include "models/parts/moe.h"

#include <algorithm>

#include "base/error.h"
#include "graph/ops/softmax.h"
#include "models/parts/ffn.h"

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

// A number that may stand there once for each layer.
int64_t one_for_all(const MetaView& m, std::string_view key, int64_t n_layers) {
  const std::vector<int64_t> all = read_layer_numbers(m, key, n_layers, 1, kMaxDim);
  if (std::ranges::adjacent_find(all, std::not_equal_to()) != all.end())
    fail(Errc::kUnsupported, "key {}: layers of different widths are not supported", m.full(key));
  return all.front();
}

// That of the first layer which has the weight.
std::optional<int64_t> width_of_weights(const Net& net, std::string_view down, const DecoderParams& p) {
  for (int64_t i = 0; i < p.n_layers; ++i)
    if (const std::optional<Shape> shape = net.layer_at(i).shape_of(down)) return shape->back();
  return {};
}

// Inner width of a block that ends in the weight `down` (..., d_model, width), which not all layers have. Older files do not
// say it, or say a sum of several blocks'.
int64_t width(const Net& net, const MetaView& m, std::string_view key, std::string_view down, const DecoderParams& p) {
  if (m.has(key)) return one_for_all(m, key, p.n_layers);
  return width_of_weights(net, down, p).value_or(p.d_ff);
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
  if (m.has("expert_group_count")) p.choice.groups = m.in_range("expert_group_count", 1, p.n_experts);
  if (p.choice.groups > 1 || m.has("expert_group_used_count"))
    p.choice.groups_used = m.in_range("expert_group_used_count", 1, p.choice.groups);
  return p;
}

void read_routing(const MetaView& m, MoeParams& p, Routing usual) {
  const int64_t function = m.i64("expert_gating_func", usual == Routing::kSigmoid ? 2 : 1);
  if (function < 1 || function > 3)
    fail(Errc::kUnsupported,
         "key {}: function {} is not supported; known: 1 (softmax), 2 (sigmoid), 3 (softmax of the chosen)",
         m.full("expert_gating_func"), function);
  p.routing = function == 1 ? Routing::kSoftmax : function == 2 ? Routing::kSigmoid : Routing::kSoftmaxChosen;
  p.normalise = m.flag("expert_weights_norm", false);
  p.scale = read_positive(m, "expert_weights_scale", 1.0f);
  // By softmax, a group is as good as its best expert; by sigmoids, as its best two.
  p.choice.group_best = p.routing == Routing::kSigmoid ? std::min<int64_t>(2, p.n_experts / p.choice.groups) : 1;
}

ExpertLayers read_expert_layers(const Net& net, const MetaView& m, const DecoderParams& p) {
  ExpertLayers out{.moe = read_moe(net, m, p)};
  if (m.has("leading_dense_block_count")) out.n_dense = m.in_range("leading_dense_block_count", 0, p.n_layers);
  if (m.has("interleave_moe_layer_step")) out.step = m.in_range("interleave_moe_layer_step", 1, p.n_layers);
  const int64_t n_shared = m.has("expert_shared_count") ? m.in_range("expert_shared_count", 0, 1024) : 0;
  out.d_shared = m.has("expert_shared_feed_forward_length") ? m.in_range("expert_shared_feed_forward_length", 0, kMaxDim)
                                                            : out.moe.d_ff * n_shared;
  // Of several shared experts some files say the width of one: their weights are those of all.
  if (out.d_shared) out.d_shared = width_of_weights(net, "ffn_down_shexp.weight", p).value_or(out.d_shared);
  return out;
}

ExpertLayers read_routed_layers(const Net& net, const MetaView& m, const DecoderParams& p) {
  ExpertLayers out = read_expert_layers(net, m, p);
  read_routing(m, out.moe, Routing::kSigmoid);
  return out;
}

Tensor expert_layer(Net& blk, int64_t i, Tensor h, const DecoderParams& p, const ExpertLayers& layers) {
  const bool dense =
      i < p.n_layers ? i < layers.n_dense || (i + 1) % layers.step != 0 : !blk.has_weight("ffn_gate_inp.weight");
  if (dense) return gated_ffn(blk, h, p.d_ff, Activation::kSilu);
  const Tensor y = moe_ffn(blk, h, layers.moe);
  return layers.d_shared ? y + shared_ffn(blk, h, layers.d_shared) : y;
}

Tensor shared_ffn(Net& blk, Tensor h, int64_t d_ff) {
  return blk.linear("ffn_down_shexp", blk.glu_linear("ffn_gate_shexp", "ffn_up_shexp", h, d_ff, Activation::kSilu),
                    h.cols());
}

Tensor scaled_shared_ffn(Net& blk, Tensor h, int64_t d_ff) {
  return shared_ffn(blk, h, d_ff) * sigmoid(blk.linear("ffn_gate_inp_shexp", h, 1));
}

ChosenExperts choose(Net& blk, Tensor h, const MoeParams& p) {
  return choose_by(blk, blk.linear("ffn_gate_inp", h, p.n_experts, p.bias), p);
}

ChosenExperts choose_by(Net& blk, Tensor logits, const MoeParams& p) {
  const Tensor scores = scores_of(logits, p.routing);
  const Tensor ids = blk.choose_experts(scores, p.choice, "exp_probs_b.bias");
  return {ids, blk.weigh_experts(scores, ids, {p.routing == Routing::kSoftmaxChosen, p.normalise, p.scale})};
}

Tensor moe_ffn(Net& blk, Tensor h, const MoeParams& p) { return mixed_ffn(blk, h, choose(blk, h, p), p); }

Tensor mixed_ffn(Net& blk, Tensor h, const ChosenExperts& chosen, const MoeParams& p) {
  const auto [ids, weights] = chosen;
  const Tensor inner =
      blk.expert_glu_linear("ffn_gate_exps", "ffn_up_exps", h, ids, p.n_experts, p.d_ff, p.activation, p.bias);
  return blk.mix_experts("ffn_down_exps", inner, ids, weights, p.n_experts, h.cols(), p.bias);
}

}  // namespace skald
