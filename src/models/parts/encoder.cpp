#include "models/parts/encoder.h"

#include "base/error.h"

namespace skald {

void see_all(Net& net, const MetaView& m) {
  if (m.flag("attention.causal", false))
    fail(Errc::kUnsupported, "key {}: a causal model of this architecture is not supported", m.full("attention.causal"));
  net.see_all();
}

Tensor bert_embeddings(Net& net, const DecoderParams& p) {
  Tensor x = net.embed("token_embd", net.rows_of("token_embd.weight"), p.d_model);
  if (net.has_weight("token_types.weight")) x = net.add_token_types("token_types", x);
  if (net.has_weight("position_embd.weight")) x = x + net.embed_positions("position_embd", p.d_model);
  return net.layer_norm("token_embd_norm", x, p.eps);
}

}  // namespace skald
