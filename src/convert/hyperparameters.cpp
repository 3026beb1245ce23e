#include "convert/hyperparameters.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "convert/requirements.h"
#include "io/printable.h"

namespace skald {

void Hyperparameters::tensor(std::string name, std::vector<float> values) {
  tensors_.emplace_back(std::move(name), std::move(values));
}

void Hyperparameters::size(std::string_view key, int64_t value) { size_of_all(full(key), value); }

void Hyperparameters::size_of_all(std::string key, int64_t value) {
  if (value < 0 || value > UINT32_MAX) fail(Errc::kBadFile, "{}: {} is out of range", key, value);
  meta_.set(std::move(key), static_cast<uint32_t>(value));
}

void Hyperparameters::sizes(std::string_view key, const std::vector<int64_t>& values) {
  std::vector<uint32_t> out;
  for (const int64_t value : values) {
    if (value < 0 || value > UINT32_MAX) fail(Errc::kBadFile, "{}: {} is out of range", full(key), value);
    out.push_back(static_cast<uint32_t>(value));
  }
  meta_.set(full(key), MetaArray{std::move(out)});
}

void decoder_keys(const HfConfig& c, Hyperparameters& out, std::string_view eps_key) {
  out.size("context_length", c.n_ctx());
  out.size("embedding_length", c.d_model());
  out.size("block_count", c.n_layers());
  const bool experts_alone = c.has("moe_intermediate_size") && !c.has_d_ff();
  if (!experts_alone) {
    if (c.d_ff_by_layer())
      out.sizes("feed_forward_length", c.sizes("intermediate_size", c.n_layers()));
    else
      out.size("feed_forward_length", c.d_ff());
  }
  out.size("attention.head_count", c.n_heads());
  out.size("attention.head_count_kv", c.n_kv_heads());
  const bool rms = eps_key == kRmsNormEps && c.has("rms_norm_eps");  // others do not look at it
  out.number(eps_key,
             rms ? c.f32("rms_norm_eps")
                 : c.f32({"layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "norm_epsilon", "norm_eps"}));
  if (!c.has("head_dim")) return;
  out.size("attention.key_length", c.d_head());
  out.size("attention.value_length", c.d_head());
}

void activation_key(const HfConfig& c, Hyperparameters& out, std::string_view usual, const ConfigKeys& key) {
  const std::string given = c.str(key, usual);
  const auto is = [&](auto& names) { return std::ranges::find(names, given) != std::end(names); };
  const char* const name = given == "relu" ? "relu" : is(kGeluErf) ? "gelu" : is(kGeluTanh) ? "gelu_tanh" : nullptr;
  if (!name) fail(Errc::kUnsupported, "config.json: activation {} is not supported", skald::quoted(given));
  out.text("activation", name);
}

void window_key(const HfConfig& c, Hyperparameters& out) {
  if (c.flag("use_sliding_window", true) && c.has("sliding_window"))
    out.size("attention.sliding_window", c.i64("sliding_window"));
}

void query_scale_key(const HfConfig& c, Hyperparameters& out, int64_t n_layers) {
  const int64_t n_heads = std::max<int64_t>(c.n_heads(), 1);
  const auto taken = static_cast<float>(c.n_layers() == n_layers ? c.d_model() / n_heads : c.d_head());
  const float size = c.f32("query_pre_attn_scalar", taken);
  if (size <= 0) fail(Errc::kBadFile, "config.json: query_pre_attn_scalar: want a positive number, file has {}", size);
  if (size != taken) out.number("attention.scale", 1 / std::sqrt(size));
}

}  // namespace skald
