// BLOOM: ALiBi, a norm after the embeddings, biases everywhere. Le Scao et al., arXiv 2211.05100.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  Attention attention = attention_of(p);
  attention.alibi_max_bias = read_positive(m, "attention.max_alibi_bias", 8);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.layer_norm("token_embd_norm", net.embed("token_embd", n_vocab, p.d_model), p.eps);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + attend(blk, packed_qkv(blk, blk.layer_norm("attn_norm", x, p.eps), p), attention, p.d_model);
    x = x + plain_ffn(blk, blk.layer_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGeluTanh);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_bloom;
const Family family_bloom{.arch = "bloom", .build = build, .covers = "BLOOM, BLOOMZ", .verified = "BloomForCausalLM"};

}  // namespace skald
