// MiniMax-M2: an RMS norm over all query heads together and one over all key heads, RoPE on a part of a head, and experts in
// every layer. MiniMax, 2025.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  ExpertLayers experts = read_routed_layers(net, m, p);
  experts.moe.normalise = true;  // files do not say it
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_minimax_m2;
const Family family_minimax_m2{
    .arch = "minimax-m2", .build = build, .covers = "MiniMax-M2", .verified = "MiniMaxM2ForCausalLM"};

}  // namespace skald
