// ERNIE 4.5 with experts beside shared ones, after dense layers; softmax chooses with an addend and weighs without it.
// Baidu, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  ExpertLayers experts = read_expert_layers(net, m, p);
  experts.moe.routing = Routing::kSoftmax;
  experts.moe.normalise = true;
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + rope_attention(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_ernie4_5_moe;
const Family family_ernie4_5_moe{
    .arch = "ernie4_5-moe", .build = build, .covers = "ERNIE 4.5 21B-A3B, 300B-A47B", .verified = "Ernie4_5_MoeForCausalLM"};

}  // namespace skald
