// Granite 3 and 4 without Mamba layers: Llama with a factor on embeddings, scores, what each block adds, and logits. IBM,
// 2024.
#include "models/parts/granite.h"
#include "models/family.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return granite_decoder(net, read_granite(net, m)); }

extern const Family family_granite;
const Family family_granite{.arch = "granite",
                            .build = build,
                            .covers = "Granite 3 and 4, dense, without Mamba layers",
                            .verified = "GraniteForCausalLM, GraniteMoeHybridForCausalLM"};

}  // namespace skald
