// LFM2 with experts after dense layers. Liquid AI, 2025.
#include "models/family.h"
#include "models/parts/lfm2.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  ExpertLayers experts = read_routed_layers(net, m, read_decoder_layers(m).front());
  experts.moe.normalise = m.flag("expert_weights_norm", true);
  return lfm2_decoder(net, m, experts);
}

extern const Family family_lfm2moe;
const Family family_lfm2moe{
    .arch = "lfm2moe", .build = build, .covers = "LFM2 8B-A1B, 24B-A2B", .verified = "Lfm2MoeForCausalLM"};

}  // namespace skald
