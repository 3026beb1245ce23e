// Qwen (the first): Llama with packed projections and biases on them. Bai et al., arXiv 2309.16609. Its changes beyond the
// trained length (dynamic NTK, log n scaling) are left out, as in llama.cpp.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Qkv a = with_rope(blk, packed_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p, rope);
    x = x + attend(blk, a, attention_of(p), p.d_model);
    // feed_forward_length counts the rows of gate and up together.
    x = x + gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff / 2, Activation::kSilu);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_qwen;
const Family family_qwen{.arch = "qwen", .build = build, .covers = "Qwen", .verified = "a reference of our own"};

}  // namespace skald
