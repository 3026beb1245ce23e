// GLM-4.5, 4.6, 4.7: biases on queries, keys and values, norms on query and key heads, RoPE on a part of a head; experts
// beside a shared one after dense layers. GLM-4.5 Team, arXiv 2508.06471.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p);
    if (blk.has_weight("attn_q_norm.weight")) {  // GLM-4.5-Air has none
      a = with_head_rms_norms(blk, a, p);
    }
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = x + expert_layer(blk, i, blk.rms_norm("post_attention_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_glm4moe;
const Family family_glm4moe{
    .arch = "glm4moe", .build = build, .covers = "GLM-4.5, 4.6, 4.7, Air", .verified = "Glm4MoeForCausalLM"};

}  // namespace skald
