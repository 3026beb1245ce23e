// EXAONE 4: norms after attention and feed-forward, none before; norms on query and key heads; where the file has windows,
// the layers without one have no RoPE either. LG AI Research, arXiv 2507.11407.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const bool windowed = m.has("attention.sliding_window");
  const LayerWindows windows = windowed ? read_windows(m, p.n_layers, 4) : no_windows(p.n_layers);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, x, p), p);
    if (!windowed || windows.in(i)) a = with_rope(blk, a, p, rope);
    x = x + blk.rms_norm("post_attention_norm", attend(blk, a, attention_of(p, windows.of(i)), p.d_model), p.eps);
    x = x + blk.rms_norm("post_ffw_norm", gated_ffn(blk, x, p.d_ff, Activation::kSilu), p.eps);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_exaone4;
const Family family_exaone4{
    .arch = "exaone4", .build = build, .covers = "EXAONE 4 1.2B, 32B", .verified = "Exaone4ForCausalLM"};

}  // namespace skald
