// gpt-oss: experts with biases, layers with and without a window in turns, and heads with a logit of their own that takes
// weight and gives nothing. OpenAI, arXiv 2508.10925.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor attention(Net& blk, Tensor h, const DecoderParams& p, KeyWindow window, const RopeSpec& rope) {
  Attention a = attention_of(p);
  a.window = window;
  a.sink_logits = true;
  return attend(blk, with_rope(blk, separate_qkv(blk, h, p, Bias::kRequired), p, rope), a, p.d_model);
}

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  MoeParams moe = read_moe(net, m, p);
  moe.activation = Activation::kClampedSilu;
  moe.bias = Bias::kRequired;
  RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  rope.table.whole_pairs = m.flag("rope.scaling.yarn_truncate", false);  // as published; files seldom say
  const RopeSpec near = local_rope(m, rope);
  const LayerWindows windows = read_windows(m, p.n_layers, 2);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + attention(blk, h, p, windows.of(i), windows.in(i) ? near : rope);
    x = x + moe_ffn(blk, blk.rms_norm("post_attention_norm", x, p.eps), moe);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_gpt_oss;
const Family family_gpt_oss{
    .arch = "gpt-oss", .build = build, .covers = "gpt-oss 20B, 120B", .verified = "GptOssForCausalLM"};

}  // namespace skald
