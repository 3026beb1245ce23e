#include "convert/mamba_keys.h"

#include <fmt/format.h>

#include "base/error.h"
#include "convert/requirements.h"

namespace skald {
namespace {

// From 0 to no limit at all, which is written as text.
void require_no_limit(const HfConfig& c) {
  if (!c.has("time_step_limit")) return;
  if (!c.is_unlimited("time_step_limit"))
    fail(Errc::kUnsupported, "config.json: time_step_limit: want from 0 to infinity, others are not supported");
}

constexpr const char* kWhole = "mamba_d_ssm";

// Of one head: the configuration's number, or an equal share of all.
int64_t head_size(const HfConfig& c, int64_t heads, bool expanded) {
  const ConfigKeys kHead{"mamba_d_head", "mamba_head_dim"};
  const bool told = c.has(kHead) && !c.is_string(kHead);
  const int64_t d = told ? c.i64(kHead) : 0;
  if (!expanded && !c.has(kWhole)) return told ? d : c.d_head();
  const int64_t all = c.has(kWhole) ? c.i64(kWhole) : c.i64({"mamba_expand", "expand"}, 2) * c.d_model();
  c.pass_over({"mamba_expand"});
  if (all % heads || (told && d * heads != all))
    fail(Errc::kBadFile, "config.json: {} values of Mamba do not divide over {} heads{}", all, heads,
         told ? fmt::format(" of {}", d) : "");
  return all / heads;
}

}  // namespace

Mamba2Sizes mamba2_keys(const HfConfig& c, Hyperparameters& out, bool expanded) {
  require_no_limit(c);
  require_word(c, "mamba_hidden_act", kSilu);
  require_flag(c, "mamba_norm_before_gate", false, false);
  const int64_t heads = c.i64({"mamba_n_heads", "mamba_num_heads", "num_heads"});
  if (heads == 0) fail(Errc::kBadFile, "config.json: the number of Mamba heads is 0");
  const Mamba2Sizes s{.heads = heads,
                      .d_head = head_size(c, heads, expanded),
                      .groups = c.i64({"mamba_n_groups", "n_groups"}, 1),
                      .d_state = c.i64({"mamba_d_state", "ssm_state_size", "state_size"}, 128)};
  out.size("ssm.conv_kernel", c.i64({"mamba_d_conv", "conv_kernel"}, 4));
  out.size("ssm.state_size", s.d_state);
  out.size("ssm.group_count", s.groups);
  out.size("ssm.time_step_rank", s.heads);
  out.size("ssm.inner_size", s.d_inner());
  return s;
}

}  // namespace skald
