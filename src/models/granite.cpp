// Granite 3 and 4 without Mamba layers: Llama with a factor on embeddings, scores, each block's output, and logits. IBM,
// 2024.
#include "models/parts/granite.h"
#include "models/family.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  // Files of Granite 4 speak of Mamba layers also where there are none.
  for (const char* key : {"conv_kernel", "state_size", "group_count", "inner_size", "time_step_rank"})
    m.has(std::string("ssm.") + key);
  return granite_decoder(net, read_granite(net, m));
}

extern const Family family_granite;
const Family family_granite{.arch = "granite",
                            .build = build,
                            .covers = "Granite 3 and 4, dense, without Mamba layers",
                            .verified = "GraniteForCausalLM, GraniteMoeHybridForCausalLM"};

}  // namespace skald
