// Gemma 3n: the attention of gemma_attention.h, several residual streams (AltUp), a low-rank path beside the attention
// (LAuReL, arXiv 2411.07501). Embeddings of each layer, and first layers whose gates are sparse. Google DeepMind, 2025.
#include <cmath>

#include "base/error.h"
#include "graph/ops/mean.h"
#include "models/family.h"
#include "models/parts/alt_up.h"
#include "models/parts/capped_logits.h"
#include "models/parts/ffn.h"
#include "models/parts/gemma_attention.h"
#include "models/parts/layer_embeddings.h"
#include "models/parts/norms.h"

namespace skald {
namespace {

// How many standard deviations above their mean gates begin to count; -inf: all of them count.
std::vector<float> read_sparsity(const MetaView& m, int64_t n_layers) {
  constexpr std::string_view kKey = "activation_sparsity_scale";
  std::vector<float> out(static_cast<size_t>(n_layers), -INFINITY);
  if (!m.has(kKey)) return out;
  const std::vector<float> stored = m.meta().floats(m.full(kKey));
  if (stored.size() != out.size())
    fail(Errc::kBadFile, "key {}: {} layers, file has {}", m.full(kKey), n_layers, stored.size());
  constexpr float kMost = 40;  // beyond which floats know no share of a normal distribution
  for (const float x : stored)
    if (!(x <= kMost)) fail(Errc::kBadFile, "key {}: want numbers up to {}, file has {}", m.full(kKey), kMost, x);
  return stored;
}

Tensor above(Tensor x, float deviations) {
  const Tensor centred = x + scale(mean(x), -1), variance = mean(centred * centred);
  return activation(centred + scale(root(variance), -deviations), Activation::kRelu);
}

Tensor feed_forward(Net& blk, Tensor h, int64_t d_ff, float sparsity) {
  if (!std::isfinite(sparsity)) return gated_ffn(blk, h, d_ff, Activation::kGeluTanh);
  const auto [gate, up] = gate_and_up(blk, h, d_ff);
  return blk.linear("ffn_down", glu(above(gate, sparsity), up, Activation::kGeluTanh), h.cols());
}

Tensor laurel(Net& blk, Tensor h, float eps) {
  const std::optional<Shape> shape = blk.shape_of("laurel_l.weight");
  if (!shape) fail(Errc::kNotFound, "tensor laurel_l.weight of a layer is missing");
  const Tensor y = blk.linear("laurel_r", blk.linear("laurel_l", h, shape->rows()), h.cols());
  return h + blk.rms_norm("laurel_post_norm", y, eps);
}

// A layer's result for one stream, without the embeddings of the layer.
Tensor layer(Net& blk, int64_t i, Tensor x, GemmaAttention& attention, float sparsity) {
  const DecoderParams& p = attention.params(i);
  const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
  const Tensor beside = laurel(blk, h, p.eps);
  x = x + blk.rms_norm("post_attention_norm", attention.layer(blk, i, h), p.eps);
  x = scale(x + beside, std::sqrt(0.5f));
  const Tensor y = feed_forward(blk, blk.rms_norm("ffn_norm", x, p.eps), p.d_ff, sparsity);
  return x + blk.rms_norm("post_ffw_norm", y, p.eps);
}

Tensor build(Net& net, const MetaView& m) {
  GemmaAttention attention(net, m, 5);
  const DecoderParams& p = attention.params(0);
  const AltUp streams(m, p);
  const std::vector<float> sparsity = read_sparsity(m, p.n_layers);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  const Tensor tokens = scale(net.embed("token_embd", n_vocab, p.d_model),
                              std::sqrt(static_cast<float>(p.d_model)));  // (tokens, d_model)
  const std::optional<LayerEmbeddings> added = LayerEmbeddings::read(net, m, tokens, p);
  if (!added) fail(Errc::kNotFound, "key {} is missing", m.full("embedding_length_per_layer_input"));
  Streams x = streams.split(net, tokens);
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Streams predicted = streams.predict(blk, x);
    const Tensor found = layer(blk, i, predicted[streams.active()], attention, sparsity[static_cast<size_t>(i)]);
    x = streams.correct(blk, predicted, found);
    Tensor first = x[streams.active()];
    if (blk.has_weight("altup_correct_scale.weight"))
      first = first * blk.layer_vector("altup_correct_scale.weight", p.d_model);
    first = added->layer(blk, i, first);
    for (size_t j = 1; j < x.size(); ++j) x[j] = x[j] + first;
  }
  const Tensor y = net.rms_norm("output_norm", net.output_rows(streams.merge(net, x)), p.eps);
  return capped_logits(net, m, y, n_vocab);
}

}  // namespace

extern const Family family_gemma3n;
const Family family_gemma3n{
    .arch = "gemma3n", .build = build, .covers = "Gemma 3n E2B, E4B, text", .verified = "Gemma3nForCausalLM"};

}  // namespace skald
