#include "models/parts/indexed_decoder.h"

#include "models/parts/hparams.h"
#include "models/parts/key_indexer.h"
#include "models/parts/mla.h"
#include "models/parts/moe.h"

namespace skald {

Tensor build_indexed_decoder(Net& net, const MetaView& m, RopePairs pairs) {
  const DecoderParams p = read_decoder(m);
  MlaParams attention = read_mla(net, m);
  KeyIndexer indexer(net, m, attention, pairs);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + indexer.layer(blk, i, blk.rms_norm("attn_norm", x, p.eps), attention);
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

}  // namespace skald
