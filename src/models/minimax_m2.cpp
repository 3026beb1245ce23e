// MiniMax-M2: an RMS norm over all query heads together and one over all key heads, RoPE on a part of a head, and experts in
// every layer. MiniMax, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/decoder.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  ExpertLayers experts = read_routed_layers(net, m, p);
  experts.moe.normalise = true;  // files do not say it
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    Qkv a = with_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    return x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  });
}

extern const Family family_minimax_m2;
const Family family_minimax_m2{
    .arch = "minimax-m2", .build = build, .covers = "MiniMax-M2", .verified = "MiniMaxM2ForCausalLM"};

}  // namespace skald
