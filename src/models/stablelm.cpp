// StableLM: Llama with LayerNorm and RoPE on the first dimensions of a head. StableLM 2 12B norms its query and key heads
// and has attention and feed-forward in parallel. Bellagente et al., arXiv 2402.17834.
#include "base/error.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

// Whether there is a norm between the halves decides: llama.cpp's converter writes the flag where the configuration is
// silent.
static bool is_parallel(const Net& blk, const MetaView& m) {
  const bool may_be = m.flag("use_parallel_residual", true);
  if (blk.has_weight("ffn_norm.weight")) return false;
  if (!may_be) fail(Errc::kBadFile, "key {}: false, and the layers lack ffn_norm.weight", m.full("use_parallel_residual"));
  return true;
}

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.layer_norm("attn_norm", x, p.eps);
    const Qkv a = with_head_norms(blk, separate_qkv(blk, h, p), p);
    const Tensor y = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = y + gated_ffn(blk, is_parallel(blk, m) ? h : blk.layer_norm("ffn_norm", y, p.eps), p.d_ff, Activation::kSilu);
  }
  x = net.layer_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_stablelm;
const Family family_stablelm{.arch = "stablelm",
                             .build = build,
                             .covers = "StableLM 3B, 2 1.6B, 2 12B",
                             .verified = "StableLmForCausalLM, both forms"};

}  // namespace skald
