// Nemotron 3: Nemotron-H with experts, which may work in a narrower space. NVIDIA, 2025.
#include "models/family.h"
#include "models/parts/nemotron_h.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return nemotron_h_decoder(net, m); }

extern const Family family_nemotron_h_moe;
const Family family_nemotron_h_moe{.arch = "nemotron_h_moe",
                                   .build = build,
                                   .covers = "Nemotron 3 Nano 30B-A3B, Super",
                                   .verified = "NemotronHForCausalLM"};

}  // namespace skald
