// ERNIE 4.5 with experts beside shared ones, after dense layers; softmax chooses with an addend and weighs without it.
// Baidu, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/decoder.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  ExpertLayers experts = read_expert_layers(net, m, p);
  experts.moe.routing = Routing::kSoftmax;
  experts.moe.normalise = true;
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    x = x + rope_attention(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope);
    return x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  });
}

extern const Family family_ernie4_5_moe;
const Family family_ernie4_5_moe{
    .arch = "ernie4_5-moe", .build = build, .covers = "ERNIE 4.5 21B-A3B, 300B-A47B", .verified = "Ernie4_5_MoeForCausalLM"};

}  // namespace skald
