// Phi-1 to Phi-2: attention and feed-forward in parallel after one norm, RoPE on the first dimensions of a head, biases
// everywhere. Li et al., arXiv 2309.05463.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    const Qkv a = packed_qkv(blk, h, p);
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model) +
        plain_ffn(blk, h, p.d_ff, Activation::kGeluTanh);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_phi2;
const Family family_phi2{.arch = "phi2", .build = build, .covers = "Phi-1, 1.5, 2", .verified = "PhiForCausalLM"};

}  // namespace skald
