// Muse Glimmer, text: attention whose output is gated, norms on query and key heads and around both blocks. A window and
// RoPE in three of four layers, neither in the fourth. Meta, 2026.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/norms.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const LayerWindows windows = read_windows(m, p.n_layers, 4);
  const float logit_scale = read_positive(m, "logit_scale"),
              cap = m.has("final_logit_softcapping") ? read_positive(m, "final_logit_softcapping") : 0;
  constexpr float kPostEps = 1e-8f;  // as published; files do not say it
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = normalised(net.embed("token_embd", n_vocab, p.d_model), 1, p.eps);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, h, p), p);
    if (windows.in(i)) a = with_rope(blk, a, p, rope);
    const Tensor y = gated_attend(blk, h, a, attention_of(p, windows.of(i)), p.d_model);
    x = x + blk.rms_norm("post_attention_norm", y, kPostEps);
    const Tensor z = gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kSilu);
    x = x + blk.rms_norm("post_ffw_norm", z, kPostEps);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  x = scale(net.unembed("output", x, n_vocab), logit_scale);
  return cap > 0 ? softcap(x, cap) : x;
}

extern const Family family_muse_glimmer;
const Family family_muse_glimmer{
    .arch = "muse-glimmer", .build = build, .covers = "Muse Glimmer 30B", .verified = "MuseGlimmerForConditionalGeneration"};

}  // namespace skald
