// GLM-4.5, 4.6, 4.7: biases on queries, keys and values, norms on query and key heads, RoPE on a part of a head; experts
// beside a shared one after dense layers. GLM-4.5 Team, arXiv 2508.06471.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/decoder.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    Qkv a = separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p);
    if (blk.has_weight("attn_q_norm.weight")) {  // GLM-4.5-Air has none
      a = with_head_rms_norms(blk, a, p);
    }
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    return x + expert_layer(blk, i, blk.rms_norm("post_attention_norm", x, p.eps), p, experts);
  });
}

extern const Family family_glm4moe;
const Family family_glm4moe{
    .arch = "glm4moe", .build = build, .covers = "GLM-4.5, 4.6, 4.7, Air", .verified = "Glm4MoeForCausalLM"};

}  // namespace skald
