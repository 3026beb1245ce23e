// Granite 3: Llama with a factor on embeddings, scores, what each block adds, and logits. IBM, 2024.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const float logit_scale = read_positive(m, "logit_scale");
  const float residual = read_positive(m, "residual_scale", 1);
  Attention attention = attention_of(p);
  attention.scale = read_positive(m, "attention.scale", attention.scale);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x =
      scale(net.embed("token_embd", n_vocab, p.d_model), read_positive(m, "embedding_scale", 1));  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Qkv a = with_rope(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p, rope);
    x = x + scale(attend(blk, a, attention, p.d_model), residual);
    x = x + scale(gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kSilu), residual);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return scale(net.unembed("output", x, n_vocab), 1 / logit_scale);
}

extern const Family family_granite;
const Family family_granite{
    .arch = "granite", .build = build, .covers = "Granite 3, dense", .verified = "GraniteForCausalLM"};

}  // namespace skald
