// Gemma: Llama with embeddings scaled by sqrt(d_model), a feed-forward gated by GELU, and heads of any size; the + 1 of its
// norms is in the weights. Gemma Team, arXiv 2403.08295.
#include <cmath>

#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x =
      scale(net.embed("token_embd", n_vocab, p.d_model), std::sqrt(static_cast<float>(p.d_model)));  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + rope_attention(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope);
    x = x + gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGeluTanh);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_gemma;
const Family family_gemma{.arch = "gemma", .build = build, .covers = "Gemma", .verified = "GemmaForCausalLM"};

}  // namespace skald
