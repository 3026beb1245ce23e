// Phi-3: Llama with packed projections, a sliding window in some, and LongRoPE in those with long contexts. Abdin et al.,
// arXiv 2404.14219.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  DecoderParams p = read_decoder(m);
  p.window = read_window(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Qkv a = with_rope(blk, packed_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p, rope);
    x = x + attend(blk, a, attention_of(p), p.d_model);
    x = x + packed_gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kSilu);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_phi3;
const Family family_phi3{.arch = "phi3",
                         .build = build,
                         .covers = "Phi-3, 3.5, 4",
                         .verified = "Phi3ForCausalLM, with a window and with LongRoPE"};

}  // namespace skald
