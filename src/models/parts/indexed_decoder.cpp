#include "models/parts/indexed_decoder.h"

#include "models/parts/decoder.h"
#include "models/parts/key_indexer.h"
#include "models/parts/mla.h"
#include "models/parts/moe.h"

namespace skald {

Tensor build_indexed_decoder(Net& net, const MetaView& m, RopePairs pairs) {
  const DecoderParams p = read_decoder(m);
  MlaParams attention = read_mla(net, m);
  KeyIndexer indexer(net, m, attention, pairs);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  return decoder(net, p, [&](Net& blk, int64_t i, Tensor x) {
    x = x + indexer.layer(blk, i, blk.rms_norm("attn_norm", x, p.eps), attention);
    return x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  });
}

}  // namespace skald
