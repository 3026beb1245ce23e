// MPT: ALiBi, LayerNorm without biases, and queries, keys and values that may be clamped. MosaicML, 2023; Press et al.,
// arXiv 2108.12409.
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

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = packed_qkv(blk, blk.layer_norm("attn_norm", x, p.eps), p);
    if (m.has("attention.clamp_kqv"))
      for (Tensor* t : {&a.q, &a.k, &a.v}) *t = clamp(*t, read_positive(m, "attention.clamp_kqv", 1));
    x = x + attend(blk, a, attention, p.d_model);
    x = x + plain_ffn(blk, blk.layer_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGelu);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_mpt;
const Family family_mpt{.arch = "mpt", .build = build, .covers = "MPT", .verified = "MptForCausalLM"};

}  // namespace skald
