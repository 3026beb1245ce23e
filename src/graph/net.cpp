#include "graph/net.h"

#include <algorithm>

#include "base/error.h"
#include "graph/ops/causal_conv.h"
#include "graph/ops/choose_keys.h"
#include "graph/ops/columns.h"
#include "graph/ops/concat_rows.h"
#include "graph/ops/distance_bias.h"
#include "graph/ops/embed.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/head_columns.h"
#include "graph/ops/head_linear.h"
#include "graph/ops/join_heads.h"
#include "graph/ops/kv_append.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/mix_experts.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/rms_norm.h"
#include "graph/ops/split_heads.h"
#include "graph/ops/state_space.h"
#include "graph/ops/window_attention.h"

namespace skald {
namespace {

constexpr const char* kTokens = "tokens";
constexpr const char* kPositions = "positions";
constexpr const char* kKeptPositions = "kept_positions";
constexpr const char* kPrefixPositions = "prefix_positions";
constexpr const char* kSuffixPositions = "suffix_positions";
constexpr const char* kTokenTypes = "token_types";
constexpr const char* kOutputRows = "output_rows";

}  // namespace

Net::Net(Graph& graph, WeightLookup lookup, StepCapacity capacity)
    : graph_(&graph), lookup_(std::move(lookup)), capacity_(capacity) {
  graph.input(kTokens, {&format_i32, Shape{capacity.tokens}, Rows::kTokens});
  graph.input(kOutputRows, {&format_i32, Shape{capacity.outputs}, Rows::kOutputs});
}

Net Net::layer_at(int64_t i, std::string_view stack) const {
  Net net = *this;
  net.scope_ = fmt::format("{}{}blk.{}.", stack, stack.empty() ? "" : ".", i);
  return net;
}

Tensor Net::token_input(const std::string& name) const {
  if (const int id = graph_->find(Source::kInput, name); id >= 0) return {graph_, id};
  return graph_->input(name, {&format_i32, Shape{capacity_.tokens}, Rows::kTokens});
}

Tensor Net::weight_once(const std::string& full_name, const TensorDesc& desc) {
  if (const int id = graph_->find(Source::kWeight, full_name); id >= 0) return {graph_, id};
  return graph_->weight(full_name, desc);
}

Tensor Net::weight(std::string_view name, const Shape& shape) {
  const std::string full_name = full(name);
  const std::optional<TensorDesc> have = lookup_(full_name, &shape);
  if (!have) fail(Errc::kNotFound, "tensor {} is missing; want {}", full_name, shape.to_string());
  if (!same_but_for_ones(have->shape, shape))
    fail(Errc::kBadFile, "tensor {}: want {}, file has {}", full_name, shape.to_string(), have->shape.to_string());
  if (shape.rank() == 1 && have->format != &format_f32)
    fail(Errc::kUnsupported, "tensor {}: want f32, file has {}", full_name, have->format->name);
  return weight_once(full_name, {have->format, shape});
}

std::optional<Shape> Net::shape_of(std::string_view name) const {
  const std::optional<TensorDesc> have = lookup_(full(name), nullptr);
  return have ? std::optional(have->shape) : std::nullopt;
}

int64_t Net::rows_of(std::string_view name) const {
  const std::optional<Shape> shape = shape_of(name);
  if (!shape) fail(Errc::kNotFound, "tensor {} is missing", full(name));
  return shape->rows();
}

Tensor Net::embed(const std::string& name, int64_t n_vocab, int64_t d_model) {
  const Tensor table = weight(name + ".weight", Shape{n_vocab, d_model});
  return graph_->add(op_embed, Attrs(NoAttrs{}), {token_input(kTokens), table}, full(name));
}

Tensor Net::embed_positions(const std::string& name, int64_t d_model) {
  const int64_t n = rows_of(name + ".weight");
  if (capacity_.keys > n)
    fail(Errc::kBadInput, "a context of {} tokens: this model knows {} positions ({})", capacity_.keys, n, name);
  const Tensor table = weight(name + ".weight", Shape{n, d_model});
  return graph_->add(op_embed, Attrs(NoAttrs{}), {token_input(kPositions), table}, full(name));
}

Tensor Net::add_token_types(const std::string& name, Tensor x) {
  const int64_t n = rows_of(name + ".weight");
  if (n < 2) return x + vector(name + ".weight", x.cols());
  const Tensor table = weight(name + ".weight", Shape{n, x.cols()});
  return x + graph_->add(op_embed, Attrs(NoAttrs{}), {token_input(kTokenTypes), table}, full(name));
}

Tensor Net::rms_norm(const std::string& name, Tensor x, float eps, int64_t parts) {
  const Tensor w = weight(name + ".weight", Shape{x.cols() / parts});
  return graph_->add(op_rms_norm, Attrs(RmsNorm{eps, parts}), {x, w}, full(name));
}

Tensor Net::rms_norm_by(Tensor w, Tensor x, float eps) {
  return graph_->add(op_rms_norm, Attrs(RmsNorm{eps, 1}), {x, w}, scope_ + "norm");
}

Tensor Net::layer_norm(const std::string& name, Tensor x, float eps, int64_t parts) {
  std::vector<Tensor> in = {x, weight(name + ".weight", Shape{x.cols() / parts})};
  if (has_weight(name + ".bias")) in.push_back(weight(name + ".bias", Shape{x.cols() / parts}));
  return graph_->add(op_layer_norm, Attrs(LayerNorm{eps, parts}), in, full(name));
}

Tensor Net::rms_norm_parts(const std::string& name, Tensor x, float eps, int64_t parts) {
  const Shape want{parts, x.cols() / parts};
  const Tensor w = f32_weight(full(name) + ".weight", want, Shape{x.cols()});
  return graph_->add(op_rms_norm, Attrs(RmsNorm{eps, parts}), {x, w}, full(name));
}

Tensor Net::layer_norm_parts(const std::string& name, Tensor x, float eps, int64_t parts) {
  const Shape want{parts, x.cols() / parts};
  const Tensor w = f32_weight(full(name) + ".weight", want, Shape{x.cols()});
  return graph_->add(op_layer_norm, Attrs(LayerNorm{eps, parts}), {x, w}, full(name));
}

Tensor Net::vector(const std::string& full_name, int64_t n) { return f32_weight(full_name, Shape{n}, Shape{n}); }

// The same numbers, seen as another shape.
Tensor Net::f32_weight(const std::string& full_name, const Shape& want, const Shape& seen_as) {
  const std::optional<TensorDesc> have = lookup_(full_name, &want);
  if (!have) fail(Errc::kNotFound, "tensor {} is missing; want {}", full_name, want.to_string());
  if (!same_but_for_ones(have->shape, want) || have->format != &format_f32)
    fail(Errc::kBadFile, "tensor {}: want f32 {}, file has {} {}", full_name, want.to_string(), have->format->name,
         have->shape.to_string());
  return weight_once(full_name, {&format_f32, seen_as});
}

Tensor Net::linear(const std::string& name, Tensor x, int64_t n, Bias bias) {
  const Tensor w = weight(name + ".weight", Shape{n, x.cols()});
  return finished(graph_->add(op_linear, Attrs(NoAttrs{}), {x, w}, full(name)), name, bias);
}

Tensor Net::scaled(Tensor y, const std::string& name) {
  // A router of Gemma 4 has a vector of this name, for its inputs.
  const std::optional<Shape> shape = shape_of(name + ".scale");
  return shape && shape->elements() == 1 ? y * weight(name + ".scale", Shape{1}) : y;
}

Tensor Net::finished(Tensor y, const std::string& name, Bias bias) {
  y = scaled(y, name);
  const std::string bias_name = name + ".bias";
  return bias == Bias::kRequired || has_weight(bias_name) ? y + weight(bias_name, Shape{y.cols()}) : y;
}

std::vector<Tensor> Net::linears(std::initializer_list<Projection> parts, Tensor x, Bias bias) {
  std::vector<Tensor> in = {x};
  std::string names;
  for (const auto& [name, n] : parts) {
    in.push_back(weight(name + ".weight", Shape{n, x.cols()}));
    names += (names.empty() ? "" : ", ") + name;
  }
  const Tensor all = graph_->add(op_linear, Attrs(NoAttrs{}), in, full(names));
  std::vector<Tensor> out;
  int64_t first = 0;
  for (const auto& [name, n] : parts) {
    out.push_back(finished(columns(all, first, n), name, bias));
    first += n;
  }
  return out;
}

Tensor Net::columns(Tensor x, int64_t first, int64_t n) {
  return graph_->add(op_columns, Attrs(Columns{first, n}), {x}, scope_ + "columns");
}

Tensor Net::glu_linear(const std::string& gate, const std::string& up, Tensor x, int64_t n, Activation f) {
  for (const std::string& name : {gate, up})
    if (has_weight(name + ".bias") || has_weight(name + ".scale")) return glu(linear(gate, x, n), linear(up, x, n), f);
  const Shape shape{n, x.cols()};
  return graph_->add(op_glu_linear, Attrs(Activate{f}), {x, weight(gate + ".weight", shape), weight(up + ".weight", shape)},
                     full(gate));
}

Tensor Net::head_columns(Tensor x, int64_t heads, int64_t first, int64_t n) {
  return graph_->add(op_head_columns, Attrs(HeadColumns{heads, first, n}), {x}, scope_ + "head_columns");
}

Tensor Net::join_heads(Tensor a, Tensor b, int64_t heads, bool shared) {
  return graph_->add(op_join_heads, Attrs(JoinHeads{heads, shared}), {a, b}, scope_ + "join_heads");
}

Tensor Net::head_linear(const std::string& name, Tensor x, int64_t heads, int64_t n) {
  const Tensor w = weight(name + ".weight", Shape{heads, n, x.cols() / heads});
  return scaled(graph_->add(op_head_linear, Attrs(NoAttrs{}), {x, w}, full(name)), name);
}

Tensor Net::choose_experts(Tensor scores, const ChooseExperts& choice, const std::string& added) {
  std::vector<Tensor> in = {scores};
  if (has_weight(added)) in.push_back(weight(added, Shape{scores.cols()}));
  return graph_->add(op_choose_experts, Attrs(choice), in, scope_ + "experts");
}

Tensor Net::weigh_experts(Tensor scores, Tensor ids, const WeighExperts& weighing) {
  return graph_->add(op_weigh_experts, Attrs(weighing), {scores, ids}, scope_ + "expert_weights");
}

Tensor Net::expert_glu_linear(const std::string& gate, const std::string& up, Tensor x, Tensor ids, int64_t n_experts,
                              int64_t n, Activation f, Bias bias) {
  const Shape shape{n_experts, n, x.cols()}, biases{n_experts, n};
  std::vector<Tensor> in = {x, weight(gate + ".weight", shape), weight(up + ".weight", shape), ids};
  if (bias == Bias::kRequired || has_weight(gate + ".bias") || has_weight(up + ".bias"))
    in.insert(in.end(), {weight(gate + ".bias", biases), weight(up + ".bias", biases)});
  if (has_weight(gate + ".scale") || has_weight(up + ".scale"))
    in.insert(in.end(), {weight(gate + ".scale", Shape{n_experts}), weight(up + ".scale", Shape{n_experts})});
  return graph_->add(op_expert_glu_linear, Attrs(Activate{f}), in, full(gate));
}

Tensor Net::mix_experts(const std::string& down, Tensor h, Tensor ids, Tensor weights, int64_t n_experts, int64_t n,
                        Bias bias) {
  std::vector<Tensor> in = {h, weight(down + ".weight", Shape{n_experts, n, h.cols() / ids.cols()}), ids, weights};
  if (bias == Bias::kRequired || has_weight(down + ".bias")) in.push_back(weight(down + ".bias", Shape{n_experts, n}));
  if (has_weight(down + ".scale")) in.push_back(weight(down + ".scale", Shape{n_experts}));
  return graph_->add(op_mix_experts, Attrs(NoAttrs{}), in, full(down));
}

Tensor Net::rope_table(const std::string& positions, const RopeSpec& rope) {
  std::vector<Tensor> in = {token_input(positions)};
  if (rope.divisors.graph) in.push_back(rope.divisors);
  return graph_->add_once(op_rope_table, Attrs(rope.table), in, "rope");
}

Tensor Net::rope(Tensor x, int64_t d_head, const RopeSpec& rope) {
  return graph_->add(op_rope, Attrs(Rope{d_head, rope.pairs, rope.first}), {x, rope_table(kPositions, rope)},
                     scope_ + "rope");
}

Tensor Net::prefix_rope(Tensor x, int64_t d_head, const RopeSpec& rope) {
  if (d_head % 2) fail(Errc::kBadInput, "{}rope: heads of {} do not divide into halves", scope_, d_head);
  const Tensor within = rope_table(kPrefixPositions, rope), behind = rope_table(kSuffixPositions, rope);
  return graph_->add(op_rope, Attrs(Rope{d_head / 2, rope.pairs}), {x, within, behind}, scope_ + "rope");
}

Tensor Net::temper(Tensor x, const LogTemperature& temperature) {
  const Tensor positions = token_input(kPositions);
  return x * graph_->add_once(op_log_temperature, Attrs(temperature), {&positions, 1}, "temperature");
}

// When keys behind the first ones are dropped, the first ones stay as they are: queries turn to meet them as if they had
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
// rule for keys behind a query.
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

Net::Cached Net::cache(Tensor k, Tensor v, const Attention& a) {
  if (k.cols() != a.n_kv_heads * a.d_k || v.cols() != a.n_kv_heads * a.d_v)
    fail(Errc::kBadInput, "{}attention: keys of {} and values of {} do not fit {} heads of {} and {}", scope_, k.cols(),
         v.cols(), a.n_kv_heads, a.d_k, a.d_v);
  Cached out{.slot = cache_slot(a)};
  if (capacity_.past) {
    out.keys = window("keys", k, a.n_kv_heads);
    out.values = window("values", v, a.n_kv_heads);
  } else {
    out.appended = graph_->add(op_kv_append, Attrs(KvAppend{a.n_kv_heads, out.slot}), {k, v}, scope_ + "kv");
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
  return capacity_.past ? window_attention(q, cached.keys, cached.values, a) : paged_attention(q, cached.appended, a, more);
}

Tensor Net::paged_attention(Tensor q, Tensor appended, const Attention& a, const MoreOfAttention& more) {
  std::vector<Tensor> in = {q, appended};
  if (a.sink_logits) in.push_back(weight("attn_sinks.weight", Shape{a.n_heads}));
  if (a.biases) in.push_back(more.biases);
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

Tensor Net::output_rows(Tensor x) {
  return graph_->add(op_pick_rows, Attrs(NoAttrs{}), {x, Tensor{graph_, graph_->find(Source::kInput, kOutputRows)}},
                     "output_rows");
}

Tensor Net::states(Tensor x) {
  graph_->hidden = x.id;
  return x;
}

Tensor Net::given_rows(const std::string& name, int64_t rows, int64_t n) {
  return bind(graph_->input(name, {&format_f32, Shape{rows, n}, Rows::kOutputs}));
}

Tensor Net::unembed(const std::string& name, Tensor x, int64_t n_vocab) {
  states(x);
  if (has_weight(name + ".weight")) return linear(name, x, n_vocab);
  const Tensor table = weight("token_embd.weight", Shape{n_vocab, x.cols()});
  return graph_->add(op_linear, Attrs(NoAttrs{}), {x, table}, full(name));
}

}  // namespace skald
