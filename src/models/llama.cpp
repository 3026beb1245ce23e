// Llama 1/2/3, Mistral, Mixtral and their fine-tunes: pre-norm decoder with grouped-query attention, RoPE and SwiGLU.
// Touvron et al., arXiv 2302.13971; Jiang et al., arXiv 2310.06825 (sliding window), 2401.04088 (experts).
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m);
  p.window = read_window(m);
  p.temperature = read_temperature(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const int64_t n_vocab = net.rows_of("token_embd.weight");
  std::optional<MoeParams> moe;
  if (m.i64("expert_count", 0) > 0) moe = read_moe(net, m, p);

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

extern const Family family_llama;
const Family family_llama{.arch = "llama",
                          .build = build,
                          .covers = "Llama 1 to 3, Mistral, Mixtral, and what is built like them",
                          .verified = "LlamaForCausalLM, MistralForCausalLM, MixtralForCausalLM"};

}  // namespace skald
