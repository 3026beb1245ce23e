// DeepSeek-V2, V2-Lite, V3 and R1: latent attention; layers of experts, some of which are shared by all tokens, after a few
// dense ones. arXiv 2405.04434; arXiv 2412.19437.
#include "models/family.h"
#include "models/parts/hparams.h"
#include "models/parts/mla.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const MlaParams attention = read_mla(net, m);
  ExpertLayers experts = read_expert_layers(net, m, p);
  read_routing(m, experts.moe);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + mla(blk, blk.rms_norm("attn_norm", x, p.eps), attention);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_deepseek2;
const Family family_deepseek2{.arch = "deepseek2",
                              .build = build,
                              .covers = "DeepSeek V2, V2-Lite, V3, R1",
                              .verified = "DeepseekV2ForCausalLM, DeepseekV3ForCausalLM"};

}  // namespace skald
