// Qwen3-VL with experts, text: the language model is that of qwen3moe. A text's tokens have one position in all dimensions,
// for which M-RoPE is RoPE, with any sections. Alibaba, arXiv 2409.12191 (section 2.1).
#include "models/family.h"

namespace skald {

extern const Family family_qwen3moe;

static Tensor build(Net& net, const MetaView& m) {
  for (const char* key : {"rope.dimension_sections", "n_deepstack_layers"})
    m.has(key);  // about pictures: read, and of no use
  return family_qwen3moe.build(net, m);
}

extern const Family family_qwen3vlmoe;
const Family family_qwen3vlmoe{
    .arch = "qwen3vlmoe", .build = build, .covers = "Qwen3-VL with experts, text", .verified = "as qwen3moe"};

}  // namespace skald
