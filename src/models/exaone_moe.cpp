// K-EXAONE: experts beside a shared one after dense layers; norms on query and key heads; a window and RoPE in three of
// four layers, neither in the fourth. LG AI Research, 2026.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const LayerWindows windows = read_windows(m, p.n_layers, 4);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    if (windows.in(i)) a = with_rope(blk, a, p, rope);
    x = x + attend(blk, a, attention_of(p, windows.of(i)), p.d_model);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_exaone_moe;
const Family family_exaone_moe{
    .arch = "exaone-moe", .build = build, .covers = "K-EXAONE 236B-A23B", .verified = "ExaoneMoeForCausalLM"};

}  // namespace skald
