// Qwen3-VL, text: the language model is that of qwen3. A text's tokens have one position in all dimensions, for which M-RoPE
// is RoPE, with any sections. Alibaba, arXiv 2409.12191 (section 2.1).
#include "models/family.h"

namespace skald {

extern const Family family_qwen3;

static Tensor build(Net& net, const MetaView& m) {
  for (const char* key : {"rope.dimension_sections", "n_deepstack_layers"})
    m.has(key);  // about pictures: read, and of no use
  return family_qwen3.build(net, m);
}

extern const Family family_qwen3vl;
const Family family_qwen3vl{.arch = "qwen3vl", .build = build, .covers = "Qwen3-VL, text", .verified = "as qwen3"};

}  // namespace skald
