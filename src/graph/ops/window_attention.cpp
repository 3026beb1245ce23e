#include "graph/ops/window_attention.h"

#include <algorithm>

#include "graph/checks.h"

namespace skald {
namespace {

void want_heads(const Attention& a, const ValueDesc& d, int64_t rows, int64_t cols, std::string_view what) {
  const Shape want{a.n_kv_heads, rows, cols};
  if (d.shape != want) fail(Errc::kBadInput, "{}: want {}, got {}", what, want.to_string(), d.shape.to_string());
}

}  // namespace

static ValueDesc infer(const Attention& a, std::span<const ValueDesc> in) {
  const bool scaled = in.size() > 1 && in[1].format == &format_i8;
  want_inputs(in, 4u + (scaled ? 2u : 0u) + (a.sink_logits ? 1u : 0u));
  check_heads(a);
  want_matrix(in[0]);
  want_cols(in[0], a.n_heads * a.d_k, "q");
  const int64_t rows = in[1].shape.rank() == 3 ? in[1].shape[1] : 0;
  want_heads(a, in[1], rows, a.d_k, "keys");
  want_heads(a, in[2], rows, a.d_v, "values");
  if (rows < in[0].shape[0]) fail(Errc::kBadInput, "{} rows of keys are not enough for {} tokens", rows, in[0].shape[0]);
  if (a.sink_logits) want_sink_logits(in.back(), a.n_heads);
  return {in[0].format, Shape{in[0].shape[0], a.n_heads * a.d_v}, in[0].rows};
}

// An ideal implementation reads what is visible only, as attention over the paged cache does.
static Cost cost(const Attention& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  const int64_t rows = in[1].shape[1];
  const StepStats::Keys keys = step.keys_in({a.window.size ? std::min(a.window.size, rows) : rows, a.window.chunk});
  const auto element_bytes = [&](const ValueDesc& d) { return static_cast<double>(d.format->block_bytes); };
  const double per_key = static_cast<double>(a.n_kv_heads) * (static_cast<double>(a.d_k) * element_bytes(in[1]) +
                                                              static_cast<double>(a.d_v) * element_bytes(in[2]));
  return {.bytes = step.bytes(in[0]) + step.bytes(out) + keys.read * per_key,
          .flops = 2 * keys.pairs * static_cast<double>(a.n_heads * (a.d_k + a.d_v))};
}

const OpDef op_window_attention = define_op<Attention, infer, nullptr, cost>("window_attention");

}  // namespace skald
