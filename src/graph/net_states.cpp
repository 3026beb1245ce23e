// What layers keep between steps, and attention over it.
#include <algorithm>

#include "base/error.h"
#include "graph/basis_names.h"
#include "graph/input_names.h"
#include "graph/net.h"
#include "graph/ops/causal_conv.h"
#include "graph/ops/choose_keys.h"
#include "graph/ops/concat_rows.h"
#include "graph/ops/distance_bias.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/split_heads.h"
#include "graph/ops/state_space.h"
#include "graph/ops/window_attention.h"

namespace skald {

using namespace input_names;

// When keys after the first ones are dropped, the first ones stay as they are: queries turn to meet them as if they had
// moved up. The same rotation from other positions; queries that are not rotated serve as they are.
Tensor Net::kept_queries(Tensor q) {
  const Node rope = graph_->node(q.id);
  if (rope.op != &op_rope) return q;
  const Node table = graph_->node(rope.inputs[1]);
  std::vector<Tensor> in = {token_input(kKeptPositions)};
  for (size_t i = 1; i < table.inputs.size(); ++i) in.push_back({graph_, table.inputs[i]});
  const Tensor kept = graph_->add_once(op_rope_table, table.attrs, in, "rope_kept");
  return graph_->add(op_rope, rope.attrs, {Tensor{graph_, rope.inputs[0]}, kept}, scope_ + "rope_kept");
}

// What is seen in both directions is computed at once and stays whole; chunks, ALiBi and the windows of decoders have no
// rule for keys after a query.
void Net::check_order(const Attention& a) const {
  if (graph_->prefix_end < 0 && graph_->causal) return;
  const char* other = capacity_.past                                          ? "fixed shapes"
                      : capacity_.shifted                                     ? "shifts of the context"
                      : a.window.chunk                                        ? "chunks"
                      : a.window.size && (graph_->causal || !a.window.around) ? "a sliding window"
                      : a.alibi_max_bias > 0                                  ? "ALiBi"
                                                                              : nullptr;
  if (other) fail(Errc::kUnsupported, "{}attention: keys that are seen in both directions do not go with {}", scope_, other);
}

// Keys of a graph without causality serve one step only: layers with heads of one size take turns in a slot.
int32_t Net::cache_slot(const Attention& a) {
  const AttentionState state{a.n_kv_heads, a.d_k, a.d_v, graph_->causal ? a.window.size : 0, a.n_heads / a.n_kv_heads};
  if (graph_->causal) return add_state(state);
  const auto at = std::ranges::find(graph_->states, StateSpec(state));
  return at == graph_->states.end() ? add_state(state) : static_cast<int32_t>(at - graph_->states.begin());
}

int32_t Net::add_state(const StateSpec& state) {
  if (capacity_.past && std::holds_alternative<RecurrentState>(state))
    fail(Errc::kUnsupported, "{}: a recurrent state does not go with fixed shapes", scope_);
  graph_->states.push_back(state);
  return static_cast<int32_t>(graph_->states.size()) - 1;
}

Tensor Net::causal_conv(const std::string& name, Tensor x, int64_t taps, bool silu) {
  const Shape shape{x.cols(), taps};
  std::vector<Tensor> in = {x, f32_weight(full(name) + ".weight", shape, shape)};
  if (has_weight(name + ".bias")) in.push_back(weight(name + ".bias", Shape{x.cols()}));
  const int32_t slot = add_state(RecurrentState{x.cols() * (taps - 1)});
  return graph_->add(op_causal_conv, Attrs(CausalConv{slot, static_cast<int32_t>(taps), silu}), in, full(name));
}

Tensor Net::state_space(Tensor x, Tensor b, Tensor c, Tensor dt, int64_t heads, int64_t groups) {
  const Shape one{heads}, in_file{heads, 1};
  const int32_t slot = add_state(RecurrentState{x.cols() * (b.cols() / groups)});
  return graph_->add(op_state_space, Attrs(StateSpace{slot, heads, groups}),
                     {x, b, c, dt, f32_weight(full("ssm_a"), in_file, one), f32_weight(full("ssm_d"), in_file, one)},
                     scope_ + "state_space");
}

Tensor Net::delta_net(Tensor q, Tensor k, Tensor v, Tensor g, Tensor beta, DeltaNet a) {
  a.slot = add_state(RecurrentState{v.cols() * (k.cols() / a.key_heads)});
  return graph_->add(op_delta_net, Attrs(a), {q, k, v, g, beta, vector(full("ssm_a"), a.heads)}, scope_ + "delta_net");
}

Tensor Net::distance_biases(const std::string& name, int64_t buckets, int64_t n_heads) {
  const Shape shape{buckets, n_heads};
  return graph_->add(op_distance_bias, Attrs(DistanceBias{}), {f32_weight(full(name) + ".weight", shape, shape)},
                     full(name));
}

Net::IndexBasis Net::index_basis(const Attention& a) {
  if (!capacity_.indexed || !has_weight(basis_names::kKeys)) return {};
  const Shape shape{a.n_kv_heads, a.d_k, a.d_k};
  const auto basis = [&](std::string_view name) { return f32_weight(full(name), shape, shape); };
  return {basis(basis_names::kKeys), basis(basis_names::kQueries)};
}

Net::Cached Net::cache(Tensor k, Tensor v, const Attention& a) {
  if (k.cols() != a.n_kv_heads * a.d_k || v.cols() != a.n_kv_heads * a.d_v)
    fail(Errc::kBadInput, "{}attention: keys of {} and values of {} do not fit {} heads of {} and {}", scope_, k.cols(),
         v.cols(), a.n_kv_heads, a.d_k, a.d_v);
  Cached out{.slot = cache_slot(a)};
  if (capacity_.past) {
    out.keys = window("keys", k, a.n_kv_heads);
    out.values = window("values", v, a.n_kv_heads);
  } else {
    out.basis = index_basis(a);
    std::vector<Tensor> in = {k, v};
    if (out.basis.keys.graph) in.push_back(out.basis.keys);
    const KvAppend append{.n_kv_heads = a.n_kv_heads, .slot = out.slot, .basis = in.size() > 2};
    out.appended = graph_->add(op_kv_append, Attrs(append), in, scope_ + "kv");
  }
  return out;
}

Net::Cached Net::cache_keys(Tensor k, int64_t heads) {
  const int32_t slot = add_state(AttentionState{.n_kv_heads = 1, .d_k = k.cols(), .d_v = 0, .window = 0, .group = heads});
  return {slot, graph_->add(op_kv_append, Attrs(KvAppend{1, slot}), {k}, scope_ + "index_keys")};
}

Tensor Net::choose_keys(Tensor q, Tensor weights, const Cached& keys, int64_t most) {
  if (capacity_.past) fail(Errc::kUnsupported, "{}: an indexer of keys does not go with fixed shapes", scope_);
  if (capacity_.sparse) fail(Errc::kUnsupported, "{}: SparQ does not go with a model that has an indexer of keys", scope_);
  const ChooseKeys a{.heads = weights.cols(),
                     .d = q.cols() / weights.cols(),
                     .most = most,
                     .kept_queries = capacity_.shifted,
                     .slot = keys.slot,
                     .max_keys = capacity_.keys};
  std::vector<Tensor> in = {q, weights, keys.appended};
  if (a.kept_queries) in.push_back(kept_queries(q));
  return graph_->add(op_choose_keys, Attrs(a), in, scope_ + "choose_keys");
}

Tensor Net::attention(Tensor q, const Cached& cached, Attention a, const MoreOfAttention& more) {
  check_order(a);
  a.max_keys = capacity_.keys;
  a.kept_queries = capacity_.shifted;
  a.sparse = capacity_.sparse;
  a.biases = more.biases.graph != nullptr;
  if (a.biases && (capacity_.past || capacity_.sparse))
    fail(Errc::kUnsupported, "{}attention: biases by distance do not go with fixed shapes or sparse decoding", scope_);
  a.slot = cached.slot;
  a.basis = a.sparse && cached.basis.keys.graph;
  return capacity_.past ? window_attention(q, cached.keys, cached.values, a) : paged_attention(q, cached, a, more);
}

Tensor Net::paged_attention(Tensor q, const Cached& cached, const Attention& a, const MoreOfAttention& more) {
  std::vector<Tensor> in = {q, cached.appended};
  if (a.sink_logits) in.push_back(weight("attn_sinks.weight", Shape{a.n_heads}));
  if (a.biases) in.push_back(more.biases);
  if (a.basis) in.insert(in.end(), {cached.basis.keys, cached.basis.queries});
  if (a.kept_queries) in.push_back(kept_queries(q));
  if (a.chosen) in.push_back(more.chosen);
  return graph_->add(op_attention, Attrs(a), in, scope_ + "attention");
}

Tensor Net::window_attention(Tensor q, const Window& keys, const Window& values, const Attention& a) {
  std::vector<Tensor> in = {q, keys.rows, values.rows, token_input(kPositions)};
  if (keys.scale.graph) in.insert(in.end(), {keys.scale, values.scale});
  if (a.sink_logits) in.push_back(weight("attn_sinks.weight", Shape{a.n_heads}));
  return graph_->add(op_window_attention, Attrs(a), in, scope_ + "attention");
}

Net::Window Net::window(std::string_view what, Tensor x, int64_t heads) {
  const Format* format = capacity_.past_format;
  const auto name = [&](const char* part) { return fmt::format("{}{}_{}", scope_, part, what); };
  std::vector<Tensor> in = {x};
  if (format == &format_i8) in.push_back(bind(graph_->input(name("scale_of"), {&format_f32, Shape{1}})));
  const Shape past{heads, capacity_.past, x.cols() / heads};
  const Tensor before = bind(graph_->input(name("past"), {format, past}));
  const Tensor fresh = bind(graph_->add(op_split_heads, Attrs(SplitHeads{heads, format}), in, name("new")));
  const Tensor rows = graph_->add(op_concat_rows, Attrs(NoAttrs{}), {before, fresh}, name("all"));
  return {rows, in.size() == 2 ? in[1] : Tensor{}};
}

Tensor Net::bind(Tensor t) {
  graph_->bound.push_back(t.id);
  return t;
}

}  // namespace skald
