// Command R: attention and feed-forward in parallel after one LayerNorm without bias; Command R+ norms its query and key
// heads. Cohere, 2024.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    const Qkv a = with_head_norms(blk, separate_qkv(blk, h, p), p);
    const Tensor y = attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = x + y + gated_ffn(blk, h, p.d_ff, Activation::kSilu);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return scale(net.unembed("output", x, n_vocab), read_positive(m, "logit_scale"));
}

extern const Family family_command_r;
const Family family_command_r{.arch = "command-r",
                              .build = build,
                              .covers = "Command R, Command R+, Aya 23",
                              .verified = "CohereForCausalLM, both forms"};

}  // namespace skald
