// OLMo 2: norms after attention and feed-forward, none before; all query heads share a norm, and so do the key heads.
// OLMo Team, arXiv 2501.00656. OLMo 3 has a window in three of four layers, and scales RoPE in the fourth only.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const RopeSpec near = unscaled_local_rope(m, rope, rope.table.theta);
  const LayerWindows windows = m.has("attention.sliding_window") ? read_windows(m, p.n_layers, 4) : no_windows(p.n_layers);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_rms_norms(blk, separate_qkv(blk, x, p), p);
    Attention attention = attention_of(p);
    attention.window = windows.of(i);
    const Tensor h = attend(blk, with_rope(blk, a, p, windows.in(i) ? near : rope), attention, p.d_model);
    x = x + blk.rms_norm("post_attention_norm", h, p.eps);
    x = x + blk.rms_norm("post_ffw_norm", gated_ffn(blk, x, p.d_ff, Activation::kSilu), p.eps);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_olmo2;
const Family family_olmo2{.arch = "olmo2", .build = build, .covers = "OLMo 2, OLMo 3", .verified = "Olmo2ForCausalLM"};

}  // namespace skald
