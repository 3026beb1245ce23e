// Hunyuan, dense: Llama with an RMS norm on every query and key head after RoPE. Tencent, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + attend(blk, normed_behind_rope(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope), attention_of(p), p.d_model);
    x = x + gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kSilu);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_hunyuan_dense;
const Family family_hunyuan_dense{
    .arch = "hunyuan-dense", .build = build, .covers = "Hunyuan 0.5B to 7B", .verified = "HunYuanDenseV1ForCausalLM"};

}  // namespace skald
