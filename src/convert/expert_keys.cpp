#include "convert/expert_keys.h"

#include "base/error.h"
#include "convert/requirements.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr int64_t kSoftmax = 1, kSigmoid = 2;  // as GGUF counts them

constexpr std::string_view kTopk[] = {"noaux_tc", "group_limited_greedy", "greedy"};

int64_t scores(const HfConfig& c, bool sigmoid) {
  const std::string name = c.str({"scoring_func", "score_func", "score_function", "expert_selection_fn",
                                  "moe_router_activation_func", "moe_router_activation"},
                                 sigmoid ? "sigmoid" : "softmax");
  if (name != "sigmoid" && name != "softmax")
    fail(Errc::kUnsupported, "config.json: scoring_func: {} is not supported; known: sigmoid, softmax", skald::quoted(name));
  return name == "sigmoid" ? kSigmoid : kSoftmax;
}

}  // namespace

void expert_keys(const HfConfig& c, Hyperparameters& out) {
  out.size("expert_count", c.i64({"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}));
  out.size("expert_used_count", c.i64({"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk",
                                       "moe_k", "top_k_experts"}));
  if (c.has("moe_intermediate_size")) out.size("expert_feed_forward_length", c.i64("moe_intermediate_size"));
}

void routing_keys(const HfConfig& c, Hyperparameters& out, const RoutingDefaults& usual) {
  require_word(c, "topk_method", kTopk);
  out.size("expert_gating_func", scores(c, usual.sigmoid));
  out.flag("expert_weights_norm", c.flag({"norm_topk_prob", "route_norm", "moe_renormalize"}, usual.normalised));
  out.number(
      "expert_weights_scale",
      c.f32({"routed_scaling_factor", "route_scale", "moe_routed_scaling_factor", "router_scaling_factor"}, usual.scale));
  const ConfigKeys kUsed{"topk_group", "num_limited_groups"};
  const int64_t groups = c.i64({"n_group", "num_expert_group"}, 0);
  c.pass_over(kUsed);
  if (groups == 0) return;
  out.size("expert_group_count", groups);
  out.size("expert_group_used_count", c.i64(kUsed));
}

void shared_expert_keys(const HfConfig& c, Hyperparameters& out, int64_t d_ff) {
  const int64_t n = c.i64({"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"}, 0);
  if (n == 0) return;
  out.size("expert_shared_count", n);
  out.size("expert_shared_feed_forward_length", n * d_ff);
}

}  // namespace skald
