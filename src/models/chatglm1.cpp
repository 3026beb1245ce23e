// ChatGLM-6B, the first form: residuals of the norms' outputs, scaled by sqrt(2 layers). A prompt that is seen in both
// directions; positions in it and after it, which turn half a head each. Du et al., arXiv 2103.10360; Zeng et al., arXiv
// 2210.02414. llama.cpp has no such architecture: tensors are named as those of GPT-NeoX, and keys as usual, but for
//   attention.prefix_end_token_id   <sop>: the token after the prompt and its [gMASK]
//   rope.dimension_count            of each half of a head
#include <cmath>

#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k / 2, RopePairs::kHalves);
  const float alpha = std::sqrt(2 * static_cast<float>(p.n_layers));
  const int64_t n_vocab = net.rows_of("token_embd.weight");
  net.set_prefix_end(static_cast<int32_t>(m.in_range("attention.prefix_end_token_id", 0, n_vocab - 1)));

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    const Qkv a = packed_qkv(blk, h, p);
    const Qkv turned{blk.prefix_rope(a.q, p.d_k, rope), blk.prefix_rope(a.k, p.d_k, rope), a.v};
    x = scale(h, alpha) + attend(blk, turned, attention_of(p), p.d_model);
    h = blk.layer_norm("ffn_norm", x, p.eps);
    x = scale(h, alpha) + plain_ffn(blk, h, p.d_ff, Activation::kGeluTanh);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_chatglm1;
const Family family_chatglm1{
    .arch = "chatglm1", .build = build, .covers = "ChatGLM-6B", .verified = "a reference of our own"};

}  // namespace skald
