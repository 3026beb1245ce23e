// Falcon: attention with few KV heads and feed-forward in parallel, after one norm (7B) or a norm each (40B, 180B).
// Falcon-RW has ALiBi instead of RoPE and the blocks one after the other. Almazrouei et al., arXiv 2311.16867.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const bool parallel = m.flag("use_parallel_residual", true), alibi = m.has("attention.max_alibi_bias");
  Attention attention = attention_of(p);
  if (alibi) {
    attention.alibi_max_bias = read_positive(m, "attention.max_alibi_bias", 8);
    attention.alibi_scale = read_positive(m, "attention.alibi_scale", 1);
  }
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    const Tensor for_attention = blk.has_weight("attn_norm_2.weight") ? blk.layer_norm("attn_norm_2", x, p.eps) : h;
    const Qkv a = packed_qkv(blk, for_attention, p);
    const Tensor y = x + attend(blk, alibi ? a : with_rope(blk, a, p, rope), attention, p.d_model);
    x = y + plain_ffn(blk, parallel ? h : blk.layer_norm("ffn_norm", y, p.eps), p.d_ff, Activation::kGelu);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_falcon;
const Family family_falcon{.arch = "falcon",
                           .build = build,
                           .covers = "Falcon 7B, 40B, 180B; Falcon-RW",
                           .verified = "FalconForCausalLM, all three forms"};

}  // namespace skald
