#include "graph/ops/attention.h"

#include "graph/checks.h"

namespace skald {

std::string Attention::describe() const {
  std::string s = fmt::format("{} heads on {} of {}", n_heads, n_kv_heads, d_k);
  if (d_v != d_k) s += fmt::format("/{}", d_v);
  if (window) s += fmt::format(", window {}", window);
  return s;
}

static ValueDesc infer(const Attention& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  if (a.n_heads <= 0 || a.n_kv_heads <= 0 || a.n_heads % a.n_kv_heads)
    fail(Errc::kBadInput, "{} query heads do not divide over {} KV heads", a.n_heads, a.n_kv_heads);
  if (a.window < 0) fail(Errc::kBadInput, "a negative window: {}", a.window);
  want_cols(in[0], a.n_heads * a.d_k, "q");
  return {in[0].format, Shape{in[0].shape[0], a.n_heads * a.d_v}, in[0].rows};
}

static Cost cost(const Attention& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const StepStats::Keys keys = step.keys_in(a.window);
  const double per_key = static_cast<double>(a.n_kv_heads) * (static_cast<double>(a.d_k) * step.kv_element_bytes_k +
                                                              static_cast<double>(a.d_v) * step.kv_element_bytes_v);
  return {.bytes = step.bytes(in[0]) + step.bytes(out) + keys.read * per_key,
          .flops = 2 * keys.pairs * static_cast<double>(a.n_heads * (a.d_k + a.d_v))};
}

const OpDef op_attention = define_op<Attention, infer, nullptr, cost>("attention");

}  // namespace skald
