// DeepSeek-V2, V2-Lite, V3 and R1: latent attention; layers of experts, some of which are shared by all tokens, after a few
// dense ones. arXiv 2405.04434; arXiv 2412.19437.
#include "models/family.h"
#include "models/parts/decoder.h"
#include "models/parts/mla.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const MlaParams attention = read_mla(net, m);
  ExpertLayers experts = read_expert_layers(net, m, p);
  read_routing(m, experts.moe);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    x = x + mla(blk, blk.rms_norm("attn_norm", x, p.eps), attention);
    return x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  });
}

extern const Family family_deepseek2;
const Family family_deepseek2{.arch = "deepseek2",
                              .build = build,
                              .covers = "DeepSeek V2, V2-Lite, V3, R1",
                              .verified = "DeepseekV2ForCausalLM, DeepseekV3ForCausalLM"};

}  // namespace skald
