// Qwen3.5 with experts instead of the feed-forward. Alibaba, 2026.
#include "models/family.h"
#include "models/parts/qwen_hybrid.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return qwen_hybrid_decoder(net, m, /*tiled=*/true); }

extern const Family family_qwen35moe;
const Family family_qwen35moe{.arch = "qwen35moe",
                              .build = build,
                              .covers = "Qwen3.5 and 3.6 with experts: 35B-A3B to 397B-A17B",
                              .verified = "Qwen3_5MoeForCausalLM"};

}  // namespace skald
