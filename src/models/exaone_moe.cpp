// K-EXAONE: experts beside a shared one after dense layers; norms on query and key heads; a window and RoPE in three of
// four layers, neither in the fourth. LG AI Research, 2026.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/decoder.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const LayerWindows windows = read_windows(m, p.n_layers, 4);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    if (windows.in(i)) a = with_rope(blk, a, p, rope);
    x = x + attend(blk, a, attention_of(p, windows.of(i)), p.d_model);
    return x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  });
}

extern const Family family_exaone_moe;
const Family family_exaone_moe{
    .arch = "exaone-moe", .build = build, .covers = "K-EXAONE 236B-A23B", .verified = "ExaoneMoeForCausalLM"};

}  // namespace skald
