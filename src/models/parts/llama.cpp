#include "models/parts/llama.h"

#include "models/parts/attention.h"
#include "models/parts/ffn.h"

namespace skald {

Tensor llama_decoder(Net& net, const DecoderParams& p, const RopeSpec& rope, const std::optional<MoeParams>& moe) {
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

}  // namespace skald
