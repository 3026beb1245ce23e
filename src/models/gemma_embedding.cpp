// EmbeddingGemma: Gemma 3 that reads in both directions, with windows to both sides in five of six layers. Schechter Vera et
// al., arXiv 2509.20354.
#include <cmath>

#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/encoder.h"
#include "models/parts/ffn.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  see_all(net, m);
  const DecoderParams p = read_decoder(m);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves), near = unscaled_local_rope(m, rope, 10000);
  const LayerWindows windows = read_windows(m, p.n_layers, 6);

  Tensor x = scale(net.embed("token_embd", net.rows_of("token_embd.weight"), p.d_model),
                   std::sqrt(static_cast<float>(p.d_model)));  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    a = with_rope(blk, a, p, windows.in(i) ? near : rope);
    const Tensor attended = attend(blk, a, attention_of(p, around(windows.of(i))), p.d_model);
    x = x + blk.rms_norm("post_attention_norm", attended, p.eps);
    const Tensor h = gated_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, Activation::kGeluTanh);
    x = x + blk.rms_norm("post_ffw_norm", h, p.eps);
  }
  return net.states(net.rms_norm("output_norm", net.output_rows(x), p.eps));
}

extern const Family family_gemma_embedding;
const Family family_gemma_embedding{
    .arch = "gemma-embedding", .build = build, .covers = "EmbeddingGemma", .verified = "Gemma3TextModel, both directions"};

}  // namespace skald
