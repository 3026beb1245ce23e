// Falcon-H1: a Mamba 2 block and attention side by side in every layer. Technology Innovation Institute, arXiv 2507.22448.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/mamba2.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const Mamba2Params mamba = read_mamba2(m, p.eps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + mamba2(blk, h, mamba) + rope_attention(blk, h, p, rope);
    // Files have this norm without the end that names have elsewhere.
    const Tensor w = blk.layer_vector(blk.has_weight("ffn_norm.weight") ? "ffn_norm.weight" : "ffn_norm", p.d_model);
    x = x + gated_ffn(blk, blk.rms_norm_by(w, x, p.eps), p.d_ff, Activation::kSilu);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_falcon_h1;
const Family family_falcon_h1{
    .arch = "falcon-h1", .build = build, .covers = "Falcon-H1 0.5B to 34B", .verified = "FalconH1ForCausalLM"};

}  // namespace skald
