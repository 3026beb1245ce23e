// The encoder of T5: RMS norms before the blocks, and scores that are not scaled. No positions but biases of the scores by
// distance, which the first layer has for all. Raffel et al., arXiv 1910.10683.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/encoder.h"

namespace skald {
namespace {

constexpr const char* kBiases = "attn_rel_b";

// Gated in T5 1.1 and its kin.
Tensor ffn(Net& blk, Tensor h, int64_t d_ff) {
  const Tensor inner = blk.has_weight("ffn_gate.weight")
                           ? blk.glu_linear("ffn_gate", "ffn_up", h, d_ff, Activation::kGeluTanh)
                           : activation(blk.linear("ffn_up", h, d_ff), Activation::kRelu);
  return blk.linear("ffn_down", inner, h.cols());
}

}  // namespace

static Tensor build(Net& net, const MetaView& m) {
  see_all(net, m);
  const DecoderParams p = read_decoder(m);
  const int64_t buckets = m.in_range("attention.relative_buckets_count", 4, 65536);
  Attention attention = attention_of(p);
  attention.scale = 1;

  Tensor x = net.embed("token_embd", net.rows_of("token_embd.weight"), p.d_model);  // (tokens, d_model)
  Tensor biases;
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i, "enc");  // names become enc.blk.<i>.*
    if (i == 0 || blk.has_weight(kBiases + std::string(".weight")))
      biases = blk.distance_biases(kBiases, buckets, p.n_heads);
    const Qkv a = separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p);
    x = x + blk.linear("attn_o", blk.attention(a.q, a.k, a.v, attention, biases), p.d_model);
    x = x + ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff);
  }
  return net.states(net.rms_norm("enc.output_norm", net.output_rows(x), p.eps));
}

extern const Family family_t5encoder;
const Family family_t5encoder{
    .arch = "t5encoder", .build = build, .covers = "encoders of T5, T5 1.1, Flan-T5", .verified = "T5EncoderModel"};

}  // namespace skald
