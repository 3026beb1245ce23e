// Granite 4: Mamba 2 in most layers, attention without RoPE in the others, maybe with experts beside a shared one. IBM,
// 2025.
#include "models/family.h"
#include "models/parts/granite.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  GraniteParams p = read_granite(net, m);
  p.mamba = read_mamba2(m, p.layers.front().eps);
  if (!m.flag("rope.scaling.finetuned", false)) p.rotated.assign(p.layers.size(), false);
  return granite_decoder(net, p);
}

extern const Family family_granitehybrid;
const Family family_granitehybrid{.arch = "granitehybrid",
                                  .build = build,
                                  .covers = "Granite 4 H: 350M to 32B-A9B",
                                  .verified = "GraniteMoeHybridForCausalLM"};

}  // namespace skald
