// Trinity: attention whose output is gated, norms on query and key heads, norms around both blocks. A window and RoPE in
// three of four layers, neither in the fourth; experts beside a shared one after dense layers. Arcee, 2025.
#include <cmath>

#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const LayerWindows windows = read_windows(m, p.n_layers, 4);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x =
      scale(net.embed("token_embd", n_vocab, p.d_model), std::sqrt(static_cast<float>(p.d_model)));  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, h, p), p);
    if (windows.in(i)) a = with_rope(blk, a, p, rope);
    const Tensor y = gated_attend(blk, h, a, attention_of(p, windows.of(i)), p.d_model);
    x = x + blk.rms_norm("post_attention_norm", y, p.eps);
    const Tensor z = expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
    x = x + blk.rms_norm("post_ffw_norm", z, p.eps);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_afmoe;
const Family family_afmoe{
    .arch = "afmoe", .build = build, .covers = "Trinity Nano 6B, Mini 26B-A3B", .verified = "AfmoeForCausalLM"};

}  // namespace skald
