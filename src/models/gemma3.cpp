// Gemma 3: norms before and after both blocks and on query and key heads. Five layers with a sliding window for each one
// without, and RoPE with another base in these. Gemma Team, arXiv 2503.19786.
#include <cmath>

#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/capped_logits.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const RopeSpec near = unscaled_local_rope(m, rope, 10000);
  const LayerWindows windows = read_windows(m, p.n_layers, 6);
  Attention attention = attention_of(p);
  // The 27B model, as files seldom say, scales by an equal share of the model and not by the size of a head.
  if (p.n_layers == 62) attention.scale = std::sqrt(static_cast<float>(p.n_heads) / static_cast<float>(p.d_model));
  attention.scale = read_positive(m, "attention.scale", attention.scale);
  if (m.has("attn_logit_softcapping")) attention.softcap = read_positive(m, "attn_logit_softcapping");
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x =
      scale(net.embed("token_embd", n_vocab, p.d_model), std::sqrt(static_cast<float>(p.d_model)));  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Attention a = attention;
    a.window = windows.of(i);
    Qkv qkv = separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p);
    qkv = with_head_rms_norms(blk, qkv, p);
    qkv = with_rope(blk, qkv, p, windows.in(i) ? near : rope);
    x = x + blk.rms_norm("post_attention_norm", attend(blk, qkv, a, p.d_model), p.eps);
    const Tensor h = gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGeluTanh);
    x = x + blk.rms_norm("post_ffw_norm", h, p.eps);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return capped_logits(net, m, x, n_vocab);
}

extern const Family family_gemma3;
const Family family_gemma3{.arch = "gemma3", .build = build, .covers = "Gemma 3, text", .verified = "Gemma3ForCausalLM"};

}  // namespace skald
