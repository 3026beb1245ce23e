// Granite with experts, and maybe a shared one. IBM, 2024.
#include "models/family.h"
#include "models/parts/granite.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return granite_decoder(net, read_granite(net, m)); }

extern const Family family_granitemoe;
const Family family_granitemoe{.arch = "granitemoe",
                               .build = build,
                               .covers = "Granite 3 and 4 with experts, without Mamba layers",
                               .verified = "GraniteMoeForCausalLM"};

}  // namespace skald
