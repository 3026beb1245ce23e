// ChatGLM2, ChatGLM3, GLM-4-9B: Llama with packed projections (those of attention are separate in files made of
// transformers' GlmForCausalLM). Biases on those of attention, and RoPE on the first half of a head, in neighbouring pairs.
// GLM Team, arXiv 2406.12793.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    const Qkv a = packed_qkv(blk, h, p);
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = x + packed_gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kSilu);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_chatglm;
const Family family_chatglm{.arch = "chatglm",
                            .build = build,
                            .covers = "ChatGLM2, ChatGLM3, GLM-4-9B",
                            .verified = "a reference of our own, GlmForCausalLM"};

}  // namespace skald
