// Mixtures of experts that families share: each token goes through a few of many feed-forward blocks.
// Shazeer et al., arXiv 1701.06538; Dai et al. (shared experts), arXiv 2401.06066.
#pragma once

#include "base/meta.h"
#include "graph/net.h"
#include "models/parts/hparams.h"

namespace skald {

/// The function of the router's logits that weighs experts.
enum class Routing : uint8_t {
  kSoftmax,        // over all experts
  kSoftmaxChosen,  // over those that a token goes to
  kSigmoid,        // each on its own
};

struct MoeParams {
  int64_t n_experts, d_ff;
  ChooseExperts choice;
  Routing routing = Routing::kSoftmaxChosen;
  bool normalise = false;  // weights to a sum of 1
  float scale = 1.0f;      // and then times this
  Activation activation = Activation::kSilu;
  Bias bias = Bias::kIfPresent;  // of the router and the experts
};

/// Returns the numbers of experts, chosen ones and groups, and the experts' d_ff: the key's, else that of the weights.
/// Throws kNotFound or kBadFile naming the key.
MoeParams read_moe(const Net& net, const MetaView& m, const DecoderParams& p);

/// How experts are chosen and weighed, for families whose files say: expert_gating_func, expert_weights_norm,
/// expert_weights_scale. `usual` where the file names no function. Throws kUnsupported for one without a name here.
void read_routing(const MetaView& m, MoeParams& p, Routing usual = Routing::kSoftmax);

/// Layers of a family whose first ones are dense and whose others have experts, maybe beside a shared one.
struct ExpertLayers {
  MoeParams moe;
  int64_t n_dense = 0;   // leading_dense_block_count
  int64_t step = 1;      // interleave_moe_layer_step: after those, layers whose number (from 1) it divides have experts
  int64_t d_shared = 0;  // width of the shared expert, 0: there is none
};
ExpertLayers read_expert_layers(const Net& net, const MetaView& m, const DecoderParams& p);
/// Likewise, with read_routing(), and sigmoids where the file names no function.
ExpertLayers read_routed_layers(const Net& net, const MetaView& m, const DecoderParams& p);

/// Builds the feed-forward of layer i, which of layers that predict tokens further on is what the file has; h (tokens,
/// d_model) -> as h.
Tensor expert_layer(Net& blk, int64_t i, Tensor h, const DecoderParams& p, const ExpertLayers& layers);

/// d_ff of the shared expert: the key's, else that of the weights.
int64_t shared_width(const Net& net, const MetaView& m, const DecoderParams& p);

/// Builds the shared expert of every token, with weights ffn_gate_shexp, ffn_up_shexp, ffn_down_shexp; h (tokens, d_model)
/// -> as h.
Tensor shared_ffn(Net& blk, Tensor h, int64_t d_ff);

/// Likewise, scaled by each token: times sigmoid(ffn_gate_inp_shexp(h)).
Tensor scaled_shared_ffn(Net& blk, Tensor h, int64_t d_ff);

/// Each token's experts and their weights, with the router ffn_gate_inp and, to choose by, exp_probs_b.bias.
struct ChosenExperts {
  Tensor ids, weights;  // (tokens, k)
};
ChosenExperts choose(Net& blk, Tensor h, const MoeParams& p);
/// Likewise for a router's logits (tokens, n_experts).
ChosenExperts choose_by(Net& blk, Tensor logits, const MoeParams& p);

/// Builds the experts' weighted sum, with weights ffn_gate_inp, ffn_gate_exps, ffn_up_exps, ffn_down_exps and, to choose by,
/// exp_probs_b.bias; h (tokens, d_model) -> as h.
Tensor moe_ffn(Net& blk, Tensor h, const MoeParams& p);
/// Likewise, of experts that are chosen.
Tensor mixed_ffn(Net& blk, Tensor h, const ChosenExperts& chosen, const MoeParams& p);

}  // namespace skald
