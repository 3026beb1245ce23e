// Qwen3.5, 3.6, 3.8: gated delta nets in three of four layers, attention with a gated output in the fourth. Alibaba, 2026.
#include "models/family.h"
#include "models/parts/qwen_hybrid.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return qwen_hybrid_decoder(net, m, /*tiled=*/true); }

extern const Family family_qwen35;
const Family family_qwen35{
    .arch = "qwen35", .build = build, .covers = "Qwen3.5, 3.6, 3.8, dense", .verified = "Qwen3_5ForCausalLM"};

}  // namespace skald
