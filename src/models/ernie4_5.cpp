// ERNIE 4.5, dense: built like Llama. Baidu, 2025.
#include "models/family.h"
#include "models/parts/llama.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  return llama_decoder(net, p, rope);
}

extern const Family family_ernie4_5;
const Family family_ernie4_5{
    .arch = "ernie4_5", .build = build, .covers = "ERNIE 4.5 0.3B", .verified = "Ernie4_5ForCausalLM"};

}  // namespace skald
