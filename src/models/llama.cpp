// Llama 1/2/3, Mistral, Mixtral and their fine-tunes: pre-norm decoder with grouped-query attention, RoPE and SwiGLU.
// Touvron et al., arXiv 2302.13971; Jiang et al., arXiv 2310.06825 (sliding window), 2401.04088 (experts).
#include "models/parts/llama.h"
#include "models/family.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m);
  p.window = read_window(m);
  p.temperature = read_temperature(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  std::optional<MoeParams> moe;
  if (m.i64("expert_count", 0) > 0) moe = read_moe(net, m, p);
  return llama_decoder(net, p, rope, moe);
}

extern const Family family_llama;
const Family family_llama{.arch = "llama",
                          .build = build,
                          .covers = "Llama 1 to 3, Mistral, Mixtral, and what is built like them",
                          .verified = "LlamaForCausalLM, MistralForCausalLM, MixtralForCausalLM"};

}  // namespace skald
