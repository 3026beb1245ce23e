// AFM: Llama with a feed-forward without a gate, whose activation is the square of ReLU. Arcee, 2025; So et al., arXiv
// 2109.08668 (squared ReLU).
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
    x = x + rope_attention(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope);
    x = x + plain_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kReluSquared);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_arcee;
const Family family_arcee{.arch = "arcee", .build = build, .covers = "AFM 4.5B", .verified = "ArceeForCausalLM"};

}  // namespace skald
