// Qwen3-Next: Qwen3.5 with experts, whose value heads lie beside those of the same key head. Alibaba, 2025.
#include "models/family.h"
#include "models/parts/qwen_hybrid.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return qwen_hybrid_decoder(net, m, /*tiled=*/false); }

extern const Family family_qwen3next;
const Family family_qwen3next{
    .arch = "qwen3next", .build = build, .covers = "Qwen3-Next, Qwen3-Coder-Next", .verified = "Qwen3NextForCausalLM"};

}  // namespace skald
