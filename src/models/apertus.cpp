// Apertus: norms on query and key heads; a feed-forward without a gate, whose activation, xIELU, has numbers of its own in
// each layer. Swiss AI, arXiv 2509.14233.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "graph/ops/xielu.h"
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"

namespace skald {

// Keys of no architecture: a number for each layer, or one for all.
static std::vector<float> per_layer(const Meta& meta, const std::string& key, int64_t n_layers) {
  const MetaValue* value = meta.find(key);
  if (value && !std::holds_alternative<MetaArray>(*value))
    return std::vector<float>(static_cast<size_t>(n_layers), meta.f32(key));
  std::vector<float> all = meta.floats(key);
  if (all.empty()) fail(Errc::kNotFound, "key {}: not there", key);
  if (std::ssize(all) != n_layers) fail(Errc::kBadFile, "key {}: {} layers, file has {}", key, n_layers, all.size());
  for (const float x : all)
    if (!std::isfinite(x)) fail(Errc::kBadFile, "key {}: want numbers, file has {}", key, x);
  return all;
}

static float softplus(float x) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); }

// Files have the learnt numbers of the published code: alphas before softplus, that below 0 without beta.
static std::vector<Xielu> read_xielu(const Meta& meta, int64_t n_layers) {
  const auto read = [&](const char* name) { return per_layer(meta, std::string("xielu.") + name, n_layers); };
  const std::vector<float> p = read("alpha_p"), n = read("alpha_n"), beta = read("beta"), eps = read("eps");
  std::vector<Xielu> out;
  for (size_t i = 0; i < p.size(); ++i)
    out.push_back({.alpha_p = softplus(p[i]), .alpha_n = beta[i] + softplus(n[i]), .beta = beta[i], .eps = eps[i]});
  return out;
}

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  const std::vector<Xielu> activations = read_xielu(m.meta(), p.n_layers);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_head_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    const Tensor h = blk.linear("ffn_up", blk.rms_norm("ffn_norm", x, p.eps), p.d_ff);
    x = x + blk.linear("ffn_down", xielu(h, activations[static_cast<size_t>(i)]), p.d_model);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_apertus;
const Family family_apertus{
    .arch = "apertus", .build = build, .covers = "Apertus 8B, 70B", .verified = "ApertusForCausalLM"};

}  // namespace skald
