#include "graph/ops/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "graph/checks.h"
#include "graph/cuts.h"
#include "graph/graph.h"
#include "graph/ops/attention_mask.h"
#include "graph/ops/attention_scores.h"
#include "graph/ops/attention_values.h"
#include "graph/ops/softmax.h"
#include "skald/sparq_params.h"

namespace skald {

float Attention::slope(int64_t head) const {
  if (alibi_max_bias <= 0) return 0;
  head += first_head;
  const auto base = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(all_heads ? all_heads : n_heads)));
  const double first = std::exp2(-static_cast<double>(alibi_max_bias) / static_cast<double>(base));
  const double half = std::sqrt(first);  // between the powers, for the heads beyond a power of two
  const double slope = head < base ? std::pow(first, static_cast<double>(head + 1))
                                   : std::pow(half, static_cast<double>(2 * (head - base) + 1));
  return static_cast<float>(slope * static_cast<double>(alibi_scale));
}

const float* Attention::slopes(float* out) const {
  if (alibi_max_bias <= 0) return nullptr;
  for (int64_t h = 0; h < n_heads; ++h) out[h] = slope(h);
  return out;
}

std::string Attention::describe() const {
  std::string s = fmt::format("{} heads on {} of {}", n_heads, n_kv_heads, d_k);
  if (d_v != d_k) s += fmt::format("/{}", d_v);
  if (window.size) s += fmt::format(", window {}{}", window.size, window.around ? " around" : "");
  if (window.chunk) s += fmt::format(", chunks of {}", window.chunk);
  if (softcap > 0) s += fmt::format(", cap {}", softcap);
  if (alibi_max_bias > 0) s += fmt::format(", ALiBi {}", alibi_max_bias);
  if (alibi_scale != 1) s += fmt::format(" * {:g}", alibi_scale);
  if (sink_logits) s += ", sink logits";
  if (biases) s += ", biases by distance";
  if (basis) s += ", basis of the index";
  if (chosen) s += fmt::format(", {} chosen", chosen);
  return s;
}

void check_heads(const Attention& a) {
  if (a.n_heads <= 0 || a.n_kv_heads <= 0 || a.n_heads % a.n_kv_heads)
    fail(Errc::kBadInput, "{} query heads do not divide over {} KV heads", a.n_heads, a.n_kv_heads);
  if (a.window.size < 0) fail(Errc::kBadInput, "a negative window: {}", a.window.size);
}

static ValueDesc infer(const Attention& a, std::span<const ValueDesc> in) {
  want_inputs(
      in, a.basis_at() + (a.basis ? 2u : 0u) + (a.kept_queries ? 1u : 0u) + (a.chosen ? 1u : 0u) + (a.some_rows ? 1u : 0u));
  want_matrix(in[0]);
  check_heads(a);
  want_cols(in[0], a.n_heads * a.d_k, "q");
  if (a.sink_logits) want_sink_logits(in[2], a.n_heads);
  if (a.biases) want_distance_biases(in[a.biases_at()], a.n_heads);
  for (size_t i = 0; a.basis && i < 2; ++i) want_index_basis(in[a.basis_at() + i], a.n_kv_heads, a.d_k);
  if (a.kept_queries) want_cols(in[a.kept_input(in.size())], a.n_heads * a.d_k, "q for kept keys");
  if (a.chosen) want_cols(in[a.chosen_input(in.size())], a.chosen, "chosen keys");
  if (a.some_rows) want_rows_of(in[0], in[Attention::rows_input(in.size())], "numbers of rows");
  return {in[0].format, Shape{in[0].shape[0], a.n_heads * a.d_v}, in[0].rows};
}

// Of `read` keys and values, each read once, and `pairs` of a query and a key.
static Cost dense_cost(const Attention& a, const StepStats& step, double read, double pairs) {
  const double per_key =
      static_cast<double>(a.d_k) * step.kv_element_bytes_k + static_cast<double>(a.d_v) * step.kv_element_bytes_v;
  return {.bytes = read * static_cast<double>(a.n_kv_heads) * per_key,
          .flops = 2 * pairs * static_cast<double>(a.n_heads * (a.d_k + a.d_v))};
}

// A row that sees n keys: k1 components of all keys, from their copy by dimensions (single components of rows cannot be read
// alone) or of those in some pages, then the k2 best keys and their values. Bounds of pages are f16.
static Cost sparse_row_cost(const Attention& a, const StepStats& step, const SparqParams& sparq, int64_t n) {
  const double component = step.kv_index_bytes > 0 ? step.kv_index_bytes : step.kv_element_bytes_k;
  const SparqParams::Choice choice =
      sparq.choose(n, {a.d_k, a.d_v, step.kv_element_bytes_k, step.kv_element_bytes_v, component, a.basis});
  if (choice.k2 >= n) return dense_cost(a, step, static_cast<double>(n), static_cast<double>(n));
  const double scored = static_cast<double>(choice.scored * choice.k1), bounds = 2 * static_cast<double>(choice.bounds);
  const double read = step.kv_index_bytes > 0 ? scored * step.kv_index_bytes
                                              : static_cast<double>(choice.scored * a.d_k) * step.kv_element_bytes_k;
  Cost cost = dense_cost(a, step, static_cast<double>(choice.k2), static_cast<double>(choice.k2));
  cost.bytes += static_cast<double>(a.n_kv_heads) * (read + bounds);
  cost.flops += 2 * static_cast<double>(a.n_heads) * scored;
  return cost;
}

static Cost cost(const Attention& a, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  Cost sum{.bytes = step.bytes(in[0]) + step.bytes(out)};
  for (size_t i = 0; a.basis && i < 2; ++i) sum.bytes += step.bytes(in[a.basis_at() + i]);
  const double share = step.n_tokens > 0 ? static_cast<double>(step.rows(out)) / static_cast<double>(step.n_tokens) : 1;
  const auto add = [&](const Cost& part) {
    sum.bytes += part.bytes;
    sum.flops += part.flops;
  };
  for (const StepStats::Sequence& s : step.sequences) {
    if (a.sparse && s.sparq) {
      for (int64_t seen = s.keys - s.rows + 1; seen <= s.keys; ++seen)
        add(sparse_row_cost(a, step, *s.sparq, seen - a.window.begin(seen)));
    } else {
      const StepStats::Keys keys = StepStats::keys_of(s, a.window);
      const double most = a.chosen ? static_cast<double>(a.chosen * s.rows) : keys.pairs;
      add(dense_cost(a, step, std::min(keys.read, most), std::min(keys.pairs, most) * share));
    }
  }
  return sum;
}

// The textbook's form, with a matrix of all scores.
static Tensor expand(Graph& g, const Attention& a, std::span<const Tensor> in) {
  const auto add = [&](const OpDef& op, std::vector<Tensor> inputs) {
    if (a.some_rows) inputs.push_back(in[Attention::rows_input(in.size())]);
    return g.add(op, Attrs(a), inputs);
  };
  std::vector<Tensor> scored = {in[0], in[1]}, masked = {}, weighed = {};
  if (a.kept_queries) scored.push_back(in[a.kept_input(in.size())]);
  masked.push_back(add(op_attention_scores, scored));
  if (a.biases) masked.push_back(in[a.biases_at()]);
  if (a.chosen) masked.push_back(in[a.chosen_input(in.size())]);
  weighed.push_back(add(op_attention_mask, masked));
  if (a.sink_logits) weighed.push_back(in[2]);
  const Tensor weights = g.add(op_softmax, Attrs(Softmax{a.n_heads}), weighed);
  return add(op_attention_values, {weights, in[1]});
}

static Attrs of_some_rows(const Attrs& attrs) {
  auto a = attrs.get<Attention>();
  a.some_rows = true;
  return Attrs(a);
}

static Cut own_cut(const Attention& a, const ValueDesc&, size_t ranks) {
  return times(cut_heads(a.n_heads, a.n_kv_heads, ranks).heads, a.d_v);
}

// Biases by distance lie in rows of heads, which are computed whole.
static std::optional<CutPlan> cut(const Attention& a, std::span<const ValueDesc> in, const ValueDesc& out,
                                  const Cut& wanted) {
  if (a.biases || wanted != own_cut(a, out, wanted.ranks())) return {};
  const HeadCut of = cut_heads(a.n_heads, a.n_kv_heads, wanted.ranks());
  const CutInput queries{1, times(of.heads, a.d_k)};
  CutPlan plan{std::vector<CutInput>(in.size())};
  plan.inputs[0] = queries;
  plan.inputs[1] = {0, of.groups};
  if (a.sink_logits) plan.inputs[2] = {0, of.heads};
  for (size_t i = 0; a.basis && i < 2; ++i) plan.inputs[a.basis_at() + i] = {0, of.groups};
  if (a.kept_queries) plan.inputs[a.kept_input(in.size())] = queries;
  plan.attrs = [a, heads = of.heads,
                shares = attrs_of_heads(a, &Attention::n_heads, &Attention::n_kv_heads, of)](size_t rank) {
    auto own = shares(rank).get<Attention>();
    own.first_head = static_cast<int32_t>(heads[rank].front().first);
    own.all_heads = static_cast<int32_t>(a.n_heads);
    return Attrs(own);
  };
  return plan;
}

const OpDef op_attention = with_cuts<Attention, cut, nullptr, own_cut>(
    define_op<Attention, infer, expand, cost>("attention", {.of_some_rows = of_some_rows}));

}  // namespace skald
