// The rotary embedding's keys. YaRN: Peng et al., arXiv 2309.00071; LongRoPE: Ding et al., arXiv 2402.13753.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "base/error.h"
#include "convert/hyperparameters.h"
#include "io/printable.h"

namespace skald {
namespace {

struct RopeConfig {
  HfConfig params;      // type, factors
  std::string type;     // "default", "linear", ...
  double theta, share;  // base of the frequencies; share of a head that is rotated
};

const nlohmann::json kNothing = nlohmann::json::object();

constexpr std::string_view kFull = "full_attention", kLocal = "sliding_attention";

// Parameters of a kind of layers count where something reads that kind.
void refuse_other_kinds(const HfConfig& c, std::initializer_list<std::string_view> read) {
  const std::optional<HfConfig> rope = c.object("rope_parameters");
  if (!rope) return;
  for (const std::string& kind : rope->objects())
    if (std::ranges::find(read, kind) == read.end())
      fail(Errc::kUnsupported,
           "config.json: rope_parameters.{}: a rotary embedding of its own for one kind of layers is not supported for this "
           "architecture",
           printable(kind));
}

// The parameters of newer configurations, and of those that tell layers apart only one kind's.
HfConfig new_params(const HfConfig& c, std::string_view layer_kind) {
  const HfConfig all = c.object("rope_parameters").value_or(HfConfig(kNothing));
  if (layer_kind.empty()) return all;
  const std::optional<HfConfig> of_kind = all.object({layer_kind});
  if (of_kind)  // beside which what is of no kind counts for nothing
    for (const char* key : {"rope_theta", "rope_type"}) all.pass_over(key);
  return of_kind.value_or(HfConfig(kNothing));
}

// Older configurations keep the base and the share outside of the scaling's object, which goes before the newer form where
// both are there.
RopeConfig read(const HfConfig& c, std::string_view layer_kind) {
  const HfConfig newer = new_params(c, layer_kind), params = c.object("rope_scaling").value_or(newer);
  const bool apart = !layer_kind.empty();  // one kind's parameters are completed, not replaced
  const float outside = c.f32({"rope_theta", "rotary_emb_base", "rope_base", "rotary_base"}, 10000);
  const float theta = apart ? newer.f32("rope_theta", outside) : outside;
  const float share = c.f32({"partial_rotary_factor", "rotary_pct", "rope_pct", "rope_percent"}, 1);
  return {params, params.str({"rope_type", "type"}, "default"), params.f32("rope_theta", theta),
          params.f32({"partial_rotary_factor", "rotary_pct"}, share)};
}

double original_context(const HfConfig& c, const RopeConfig& r) {
  const auto whole = static_cast<float>(c.i64("original_max_position_embeddings", c.n_ctx()));
  return r.params.f32("original_max_position_embeddings", whole);
}

// Llama 3.1's rule as divisors of the frequencies: long waves by the factor, short ones not at all, between them a mixture.
std::vector<float> llama3_divisors(const RopeConfig& r, int64_t dims, double original) {
  const double factor = r.params.f32("factor", 8), low = r.params.f32("low_freq_factor", 1),
               high = r.params.f32("high_freq_factor", 4);
  std::vector<float> out;
  for (int64_t i = 0; i < dims / 2; ++i) {
    const double frequency = std::pow(r.theta, -2.0 * static_cast<double>(i) / static_cast<double>(dims));
    const double turns = original * frequency / (2 * std::numbers::pi);  // within the original context
    const double share = (turns - low) / (high - low);
    const double divisor = turns > high ? 1 : turns < low ? factor : 1 / ((1 - share) / factor + share);
    out.push_back(static_cast<float>(divisor));
  }
  return out;
}

// Of the rotated values, where the configuration does not leave it to the usual rule; as transformers has it.
std::optional<float> yarn_magnitude(const RopeConfig& r) {
  if (r.params.has({"attention_factor", "attn_factor"})) return r.params.f32({"attention_factor", "attn_factor"});
  const float factor = r.params.f32("factor"), some = r.params.f32("mscale", 0), all = r.params.f32("mscale_all_dim", 0);
  if (some == 0 || all == 0) return {};
  const auto by = [&](float scale) { return factor <= 1 ? 1.0f : 0.1f * scale * std::log(factor) + 1; };
  return by(some) / by(all);
}

void yarn(const HfConfig& c, const RopeConfig& r, bool write_magnitude, Hyperparameters& out) {
  const float factor = r.params.f32("factor");
  out.text("rope.scaling.type", "yarn");
  out.number("rope.scaling.factor", factor);
  out.size("rope.scaling.original_context_length", static_cast<int64_t>(original_context(c, r)));
  if (r.params.has("beta_fast")) out.number("rope.scaling.yarn_beta_fast", r.params.f32("beta_fast"));
  if (r.params.has("beta_slow")) out.number("rope.scaling.yarn_beta_slow", r.params.f32("beta_slow"));
  if (r.params.has("truncate")) out.flag("rope.scaling.yarn_truncate", r.params.flag("truncate", true));
  if (!write_magnitude) return;
  // Readers multiply by 1 + 0.1 ln(factor) as well.
  if (const std::optional<float> magnitude = yarn_magnitude(r))
    out.number("rope.scaling.attn_factor", *magnitude / (factor > 1 ? 1 + 0.1f * std::log(factor) : 1.0f));
}

void longrope(const HfConfig& c, const RopeConfig& r, Hyperparameters& out) {
  const double original = original_context(c, r);
  const double factor = r.params.has("factor") ? r.params.f32("factor") : static_cast<double>(c.n_ctx()) / original;
  const double magnitude = factor > 1 ? std::sqrt(1 + std::log(factor) / std::log(original)) : 1;
  out.size("rope.scaling.original_context_length", static_cast<int64_t>(original));
  out.number("rope.scaling.attn_factor", r.params.f32("attention_factor", static_cast<float>(magnitude)));
  out.tensor("rope_factors_long.weight", r.params.floats("long_factor"));
  out.tensor("rope_factors_short.weight", r.params.floats("short_factor"));
}

// With a factor, it acts beyond the trained context only; with Hunyuan's alpha, the base is always another one.
void dynamic(const RopeConfig& r, int64_t dims, Hyperparameters& out) {
  for (const char* key :
       {"factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "mscale", "mscale_all_dim"})
    r.params.pass_over(key);
  const double alpha = r.params.f32("alpha", 0), d = static_cast<double>(dims);
  if (alpha > 0 && dims > 2) out.number("rope.freq_base", static_cast<float>(r.theta * std::pow(alpha, d / (d - 2))));
}

// How many values of a head are rotated.
int64_t rotated(const RopeConfig& r, int64_t d_head) {
  constexpr int64_t kMostDims = 65536;  // far above any model
  if (d_head > kMostDims || !(r.share <= 1))
    fail(Errc::kBadFile, "config.json: RoPE over {} x {} values of a head", d_head, r.share);
  const auto dims = static_cast<int64_t>(static_cast<double>(d_head) * r.share);
  if (!(r.theta > 0) || dims < 2 || dims > d_head)
    fail(Errc::kBadFile, "config.json: RoPE of base {} over {} of {} values of a head", r.theta, dims, d_head);
  return dims;
}

}  // namespace

void rope_keys(const HfConfig& c, Hyperparameters& out, int64_t d_head, const RopeForm& form) {
  if (form.layer_kind.empty()) refuse_other_kinds(c, {});
  const RopeConfig r = read(c, form.layer_kind);
  const int64_t dims = rotated(r, d_head);
  out.size("rope.dimension_count", dims);
  out.number("rope.freq_base", static_cast<float>(r.theta));
  if (r.type == "linear") {
    out.text("rope.scaling.type", "linear");
    out.number("rope.scaling.factor", r.params.f32("factor"));
  } else if (r.type == "yarn") {
    yarn(c, r, form.yarn_magnitude, out);
  } else if (r.type == "llama3") {
    out.tensor("rope_freqs.weight", llama3_divisors(r, dims, original_context(c, r)));
  } else if (r.type == "longrope" || r.type == "su") {
    longrope(c, r, out);
  } else if (r.type == "dynamic") {
    dynamic(r, dims, out);
  } else if (r.type != "default" && r.type != "mrope") {
    fail(Errc::kUnsupported,
         "config.json: RoPE of type {} is not supported; known: default, linear, dynamic, yarn, llama3, longrope",
         skald::quoted(r.type));
  }
}

void rope_section_keys(const HfConfig& c, Hyperparameters& out) {
  const std::optional<HfConfig> rope = c.object({"rope_scaling", "rope_parameters"});
  if (!rope || !rope->has("mrope_section")) return;
  std::vector<int64_t> sections = rope->sizes("mrope_section");
  sections.resize(4);  // time, height, width, and one more
  rope->pass_over("mrope_interleaved");
  out.sizes("rope.dimension_sections", sections);
}

void local_rope_keys(const HfConfig& c, Hyperparameters& out, int64_t d_head) {
  refuse_other_kinds(c, {kFull, kLocal});
  const ConfigKeys kBase{"rope_local_base_freq", "local_rope_theta"};
  const std::optional<HfConfig> kinds = c.object("rope_parameters");
  const std::optional<HfConfig> local = kinds ? kinds->object({kLocal}) : std::nullopt;
  if (!local && c.has(kBase)) out.number("rope.freq_base_swa", c.f32(kBase));
  if (!local) return;
  const std::string type = local->str({"rope_type", "type"}, "default");
  if (type != "default")
    fail(Errc::kUnsupported,
         "config.json: rope_parameters.{}: RoPE of type {} in layers with a window is not supported, only default", kLocal,
         skald::quoted(type));
  constexpr const char* kShare = "partial_rotary_factor";
  const float outside = c.has(kBase) ? c.f32(kBase) : c.f32("rope_theta", 10000);
  const RopeConfig r{*local, type, local->f32("rope_theta", outside), local->f32(kShare, 1)};
  const int64_t dims = rotated(r, d_head);
  out.number("rope.freq_base_swa", static_cast<float>(r.theta));
  if (local->has(kShare)) out.size("rope.dimension_count_swa", dims);
}

}  // namespace skald
