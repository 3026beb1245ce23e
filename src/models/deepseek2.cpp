// DeepSeek-V2, V2-Lite, V3 and R1: latent attention; layers of experts, some of which are shared by all tokens, behind a few
// dense ones. arXiv 2405.04434; arXiv 2412.19437.
#include "models/family.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/mla.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const MlaParams attention = read_mla(net, m);
  MoeParams moe = read_moe(net, m, p);
  read_routing(m, moe);
  const int64_t d_shared = moe.d_ff * m.in_range("expert_shared_count", 0, 1024),
                n_dense = m.has("leading_dense_block_count") ? m.in_range("leading_dense_block_count", 0, p.n_layers) : 0;
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + mla(blk, blk.rms_norm("attn_norm", x, p.eps), attention);
    const Tensor h = blk.rms_norm("ffn_norm", x, p.eps);
    if (i < n_dense)
      x = x + gated_ffn(blk, h, p.d_ff, Activation::kSilu);
    else
      x = x + (d_shared ? moe_ffn(blk, h, moe) + shared_ffn(blk, h, d_shared) : moe_ffn(blk, h, moe));
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
