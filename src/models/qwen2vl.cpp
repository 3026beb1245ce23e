// Qwen2-VL, Qwen2.5-VL, text: the language model is that of qwen2. A text's tokens have one position in all dimensions, for
// which M-RoPE is RoPE, with any sections. Alibaba, arXiv 2409.12191 (section 2.1).
#include "models/family.h"

namespace skald {

extern const Family family_qwen2;

static Tensor build(Net& net, const MetaView& m) {
  for (const char* key : {"rope.dimension_sections", "n_deepstack_layers"})
    m.has(key);  // about pictures: read, and of no use
  return family_qwen2.build(net, m);
}

extern const Family family_qwen2vl;
const Family family_qwen2vl{
    .arch = "qwen2vl", .build = build, .covers = "Qwen2-VL, Qwen2.5-VL, text", .verified = "as qwen2"};

}  // namespace skald
