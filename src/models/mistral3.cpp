// Ministral 3, Devstral 2, Mistral Small 3: Llama whose queries grow with their position. Mistral AI, 2025.
#include "models/family.h"
#include "models/parts/llama.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m);
  RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  rope.table.magnitude /= yarn_magnitude(m, rope.table);
  p.window = read_window(m);
  p.temperature = read_temperature(m, static_cast<int64_t>(rope.table.original_context));
  std::optional<MoeParams> moe;
  if (m.i64("expert_count", 0) > 0) moe = read_moe(net, m, p);
  return llama_decoder(net, p, rope, moe);
}

extern const Family family_mistral3;
const Family family_mistral3{.arch = "mistral3",
                             .build = build,
                             .covers = "Ministral 3, Devstral 2, Mistral Small 3",
                             .verified = "Ministral3ForCausalLM"};

}  // namespace skald
