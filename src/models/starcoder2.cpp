// StarCoder 2: grouped-query attention with RoPE, LayerNorm, a plain feed-forward, biases everywhere, and a sliding window.
// Lozhkov et al., arXiv 2402.19173.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m, kLayerNormEps);
  p.window = read_window(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + rope_attention(blk, blk.layer_norm("attn_norm", x, p.eps), p, rope);
    x = x + plain_ffn(blk, blk.layer_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGeluTanh);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_starcoder2;
const Family family_starcoder2{
    .arch = "starcoder2", .build = build, .covers = "StarCoder 2", .verified = "Starcoder2ForCausalLM"};

}  // namespace skald
