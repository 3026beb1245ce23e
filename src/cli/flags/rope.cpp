#include "cli/flags/rope.h"

#include <fmt/format.h>

#include <cmath>

namespace skald {
namespace {

// Of a value that counts from `least` on; the model's stays where it is `unset`.
void add(std::vector<std::string>& out, const char* flag, const char* key, float value, float unset, bool zero = false) {
  if (value == unset) return;
  if (!std::isfinite(value) || value < 0 || (value == 0 && !zero))
    throw UsageError(fmt::format("{}: want a number above 0, or {} for the model's", flag, unset));
  out.push_back(fmt::format(".rope.{}=float:{}", key, value));
}

}  // namespace

void RopeFlags::declare(Flags& flags) {
  flags.group("RoPE, instead of the model's metadata");
  flags.add("--rope-scaling", scaling, "how positions are scaled for longer contexts", "none|linear|yarn");
  flags.add("--rope-scale", scale, "how many times longer a context becomes; 0: the model's");
  flags.add("--rope-freq-scale", freq_scale, "the same as 1 / X");
  flags.add("--rope-freq-base", freq_base, "base of the frequencies; 0: the model's");
  flags.add("--yarn-orig-ctx", original_context, "context that a model with YaRN was trained with; 0: the model's");
  flags.add("--yarn-ext-factor", ext_factor, "share of extrapolation in YaRN; 0: interpolation only; -1: the model's");
  flags.add("--yarn-attn-factor", attn_factor, "YaRN's factor of attention; -1: the model's");
  flags.add("--yarn-beta-fast", beta_fast, "rotations above which YaRN scales nothing; -1: the model's");
  flags.add("--yarn-beta-slow", beta_slow, "rotations below which YaRN scales all; -1: the model's");
}

std::vector<std::string> RopeFlags::overrides() const {
  std::vector<std::string> out;
  if (scale != 0 && freq_scale != 0) throw UsageError("want one of --rope-scale and --rope-freq-scale");
  if (!scaling.empty()) {
    out.push_back(".rope.scaling.type=str:" + scaling);
  }
  add(out, "--rope-scale", "scaling.factor", scale, 0);
  if (freq_scale != 0) add(out, "--rope-freq-scale", "scaling.factor", 1 / freq_scale, 0);
  add(out, "--rope-freq-base", "freq_base", freq_base, 0);
  if (original_context < 0) throw UsageError("--yarn-orig-ctx: want 0 (the model's) or more");
  if (original_context > 0) out.push_back(fmt::format(".rope.scaling.original_context_length=int:{}", original_context));
  add(out, "--yarn-ext-factor", "scaling.yarn_ext_factor", ext_factor, -1, /*zero=*/true);
  add(out, "--yarn-attn-factor", "scaling.yarn_attn_factor", attn_factor, -1);
  add(out, "--yarn-beta-fast", "scaling.yarn_beta_fast", beta_fast, -1);
  add(out, "--yarn-beta-slow", "scaling.yarn_beta_slow", beta_slow, -1);
  return out;
}

}  // namespace skald
