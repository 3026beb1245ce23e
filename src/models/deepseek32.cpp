// DeepSeek V3.2: DeepSeek V3 with an indexer that chooses the keys which a query attends to. arXiv 2512.02556.
#include "models/family.h"
#include "models/parts/indexed_decoder.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) { return build_indexed_decoder(net, m, RopePairs::kHalves); }

extern const Family family_deepseek32;
const Family family_deepseek32{
    .arch = "deepseek32", .build = build, .covers = "DeepSeek V3.2", .verified = "DeepseekV32ForCausalLM"};

}  // namespace skald
