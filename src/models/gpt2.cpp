// GPT-2: learned positions, LayerNorm, biases everywhere. Radford et al., 2019.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const Activation f = read_activation(m, Activation::kGeluTanh);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x =
      net.embed("token_embd", n_vocab, p.d_model) + net.embed_positions("position_embd", p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + attend(blk, packed_qkv(blk, blk.layer_norm("attn_norm", x, p.eps), p), attention_of(p), p.d_model);
    x = x + plain_ffn(blk, blk.layer_norm("ffn_norm", x, p.eps), p.d_ff, f);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_gpt2;
const Family family_gpt2{.arch = "gpt2", .build = build, .covers = "GPT-2", .verified = "GPT2LMHeadModel"};

}  // namespace skald
