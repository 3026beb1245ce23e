// Hunyuan-A13B: Hunyuan with experts beside a shared one. Tencent, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  ExpertLayers experts = read_expert_layers(net, m, p);
  experts.moe.routing = Routing::kSoftmax;
  experts.moe.normalise = true;
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + attend(blk, normed_behind_rope(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope), attention_of(p), p.d_model);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_hunyuan_moe;
const Family family_hunyuan_moe{
    .arch = "hunyuan-moe", .build = build, .covers = "Hunyuan-A13B", .verified = "HunYuanMoEV1ForCausalLM"};

}  // namespace skald
