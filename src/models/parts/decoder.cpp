#include "models/parts/decoder.h"

namespace skald {
namespace {

// What belongs to the model where the layer has none of its own.
Tensor embedding(Net& net, Net& blk, int64_t n_vocab, int64_t d_model) {
  constexpr const char* kOwn = "nextn.embed_tokens";
  return blk.has_weight("nextn.embed_tokens.weight") ? blk.embed(kOwn, n_vocab, d_model)
                                                     : net.embed("token_embd", n_vocab, d_model);
}

Tensor last_norm(Net& net, Net& blk, Tensor x, float eps) {
  constexpr const char* kOwn = "nextn.shared_head_norm";
  return blk.has_weight("nextn.shared_head_norm.weight") ? blk.rms_norm(kOwn, x, eps) : net.rms_norm("output_norm", x, eps);
}

// The token comes first: x = eh_proj [norm(token); norm(hidden row)].
Tensor layer_ahead(Net& net, const DecoderParams& p, const DecoderLayer& layer) {
  const int64_t i = p.n_layers + net.ahead() - 1, n_vocab = net.rows_of("token_embd.weight");
  Net blk = net.layer_at(i);  // names become blk.<i>.*
  const Tensor token = blk.rms_norm("nextn.enorm", embedding(net, blk, n_vocab, p.d_model), p.eps);
  const Tensor before = blk.rms_norm("nextn.hnorm", net.hidden_rows(p.d_model), p.eps);
  Tensor x = blk.linear("nextn.eh_proj", net.join_heads(token, before, /*heads=*/1), p.d_model);
  x = net.output_rows(net.hidden(last_norm(net, blk, layer(blk, i, x), p.eps)));
  return blk.has_weight("nextn.shared_head_head.weight") ? blk.unembed("nextn.shared_head_head", x, n_vocab)
                                                         : net.unembed("output", x, n_vocab);
}

}  // namespace

Tensor decoder(Net& net, const DecoderParams& p, const DecoderLayer& layer) {
  if (net.ahead() > 0) return layer_ahead(net, p, layer);
  const int64_t n_vocab = net.rows_of("token_embd.weight");
  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = layer(blk, i, x);
  }
  x = net.gives_hidden() ? net.output_rows(net.hidden(net.rms_norm("output_norm", x, p.eps)))
                         : net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

}  // namespace skald
