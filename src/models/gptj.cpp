// GPT-J: attention and feed-forward in parallel after one norm; RoPE on the first dimensions of a head, in neighbouring
// pairs. Wang & Komatsuzaki, github.com/kingoflolz/mesh-transformer-jax.
#include "base/error.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  if (!m.flag("use_parallel_residual", true))
    fail(Errc::kUnsupported, "key {}: GPT-J has both halves of a layer in parallel", m.full("use_parallel_residual"));
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kInterleaved);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    x = x + rope_attention(blk, h, p, rope) + plain_ffn(blk, h, p.d_ff, Activation::kGeluTanh);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_gptj;
const Family family_gptj{.arch = "gptj", .build = build, .covers = "GPT-J", .verified = "GPTJForCausalLM"};

}  // namespace skald
