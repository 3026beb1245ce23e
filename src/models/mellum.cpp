// Mellum 2: Qwen3-MoE with a window in three of four layers; RoPE is scaled in the fourth only. JetBrains, 2026.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const MoeParams moe = read_moe(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const RopeSpec near = unscaled_local_rope(m, rope, rope.table.theta);
  const LayerWindows windows = read_windows(m, p.n_layers, 4);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    a = with_rope(blk, a, p, windows.in(i) ? near : rope);
    x = x + attend(blk, a, attention_of(p, windows.of(i)), p.d_model);
    x = x + moe_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), moe);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_mellum;
const Family family_mellum{
    .arch = "mellum", .build = build, .covers = "Mellum 2 12B-A2.5B", .verified = "MellumForCausalLM"};

}  // namespace skald
