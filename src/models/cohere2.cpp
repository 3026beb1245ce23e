// Command R7B, Command A: Command R with a sliding window and RoPE in three of four layers, and neither in the fourth.
// Cohere, arXiv 2504.00698.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = local_rope(m, read_rope(net, m, p.d_k, RopePairs::kInterleaved));
  const LayerWindows windows = read_windows(m, p.n_layers, 4);
  const float logit_scale = read_positive(m, "logit_scale");
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Attention a = attention_of(p);
    a.window = windows.of(i);
    const Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    const Qkv qkv = separate_qkv(blk, h, p);
    const Tensor y = attend(blk, windows.in(i) ? with_rope(blk, qkv, p, rope) : qkv, a, p.d_model);
    x = x + y + gated_ffn(blk, h, p.d_ff, Activation::kSilu);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return scale(net.unembed("output", x, n_vocab), logit_scale);
}

extern const Family family_cohere2;
const Family family_cohere2{
    .arch = "cohere2", .build = build, .covers = "Command R7B, Command A", .verified = "Cohere2ForCausalLM"};

}  // namespace skald
