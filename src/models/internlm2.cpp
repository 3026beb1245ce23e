// InternLM2: Llama under another name. Cai et al., arXiv 2403.17297.
#include "models/family.h"
#include "models/parts/llama.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  return llama_decoder(net, p, rope);
}

extern const Family family_internlm2;
const Family family_internlm2{.arch = "internlm2",
                              .build = build,
                              .covers = "InternLM2, 2.5",
                              .verified = "LlamaForCausalLM, which it is but for packed weights in its own files"};

}  // namespace skald
