// SmolLM3: Llama without RoPE in every fourth layer. Hugging Face, 2025; Yang et al., arXiv 2501.18795 (NoPE).
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
    const Qkv a = separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p);
    x = x + attend(blk, i % 4 == 3 ? a : with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = x + gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kSilu);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_smollm3;
const Family family_smollm3{.arch = "smollm3", .build = build, .covers = "SmolLM3", .verified = "SmolLM3ForCausalLM"};

}  // namespace skald
