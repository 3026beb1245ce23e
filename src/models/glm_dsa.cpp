// GLM-5, 5.1 and 5.2: as DeepSeek V3.2; in 5.2, layers may go by the keys that an earlier one chose. Zhipu AI, 2026.
#include "models/family.h"
#include "models/parts/indexed_decoder.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return build_indexed_decoder(net, m, RopePairs::kInterleaved); }

extern const Family family_glm_dsa;
const Family family_glm_dsa{
    .arch = "glm-dsa", .build = build, .covers = "GLM-5, 5.1, 5.2", .verified = "GlmMoeDsaForCausalLM"};

}  // namespace skald
