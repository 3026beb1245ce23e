// Ministral 3, Devstral 2, Mistral Small 3: Llama whose queries grow with their position. Mistral AI, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m);
  RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  rope.table.magnitude /= yarn_magnitude(m, rope.table);
  p.window = read_window(m);
  p.temperature = read_temperature(m, static_cast<int64_t>(rope.table.original_context));
  std::optional<MoeParams> moe;
  if (m.i64("expert_count", 0) > 0) moe = read_moe(net, m, p);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + rope_attention(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope);
    const Tensor h = blk.rms_norm("ffn_norm", x, p.eps);
    x = x + (moe ? moe_ffn(blk, h, *moe) : gated_ffn(blk, h, p.d_ff, Activation::kSilu));
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_mistral3;
const Family family_mistral3{.arch = "mistral3",
                             .build = build,
                             .covers = "Ministral 3, Devstral 2, Mistral Small 3",
                             .verified = "Ministral3ForCausalLM"};

}  // namespace skald
