// GPT-NeoX, Pythia: attention and feed-forward in parallel after a norm each (or one after the other), RoPE on the first
// dimensions of a head. Black et al., arXiv 2204.06745.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const bool parallel = m.flag("use_parallel_residual", true);
  const Activation f = read_activation(m, Activation::kGelu);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Qkv a = with_rope(blk, packed_qkv(blk, blk.layer_norm("attn_norm", x, p.eps), p), p, rope);
    const Tensor y = x + attend(blk, a, attention_of(p), p.d_model);
    x = y + plain_ffn(blk, blk.layer_norm("ffn_norm", parallel ? x : y, p.eps), p.d_ff, f);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_gptneox;
const Family family_gptneox{.arch = "gptneox",
                            .build = build,
                            .covers = "GPT-NeoX, Pythia, Dolly 2, RedPajama",
                            .verified = "GPTNeoXForCausalLM, both residual forms"};

}  // namespace skald
