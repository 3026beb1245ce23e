// BERT and RoBERTa: learned positions, norms after the blocks, biases everywhere. Devlin et al., arXiv 1810.04805. Rows of
// positions that a checkpoint leaves unused (RoBERTa's first ones) are not in the file.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/encoder.h"
#include "models/parts/ffn.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  see_all(net, m);
  const DecoderParams p = read_decoder(m, kLayerNormEps);
  const Activation f = read_activation(m, Activation::kGelu);

  Tensor x = bert_embeddings(net, p);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor attended = attend(blk, separate_qkv(blk, x, p), attention_of(p), p.d_model);
    x = post_norm_layer(blk, x, attended, p.eps, [&](Tensor h) { return plain_ffn(blk, h, p.d_ff, f); });
  }
  return net.states(net.output_rows(x));
}

extern const Family family_bert;
const Family family_bert{.arch = "bert",
                         .build = build,
                         .covers = "BERT, RoBERTa, XLM-R, BGE, E5, MiniLM; rerankers of them",
                         .verified = "BertModel, XLMRobertaForSequenceClassification"};

}  // namespace skald
