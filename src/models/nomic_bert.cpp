// Nomic Embed 1 and 1.5: BERT with RoPE instead of learned positions, a feed-forward gated by SiLU, no biases but the
// norms'. Nussbaum et al., arXiv 2402.01613.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/encoder.h"
#include "models/parts/ffn.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  see_all(net, m);
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);

  Tensor x = bert_embeddings(net, p);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Qkv a = with_rope(blk, packed_qkv(blk, x, p), p, rope);
    const Tensor attended = attend(blk, a, attention_of(p), p.d_model);
    x = post_norm_layer(blk, x, attended, p.eps, [&](Tensor h) { return gated_ffn(blk, h, p.d_ff, Activation::kSilu); });
  }
  return net.states(net.output_rows(x));
}

extern const Family family_nomic_bert;
const Family family_nomic_bert{
    .arch = "nomic-bert", .build = build, .covers = "Nomic Embed 1, 1.5", .verified = "NomicBertModel"};

}  // namespace skald
