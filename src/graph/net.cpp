#include "graph/net.h"

#include "base/error.h"
#include "graph/input_names.h"
#include "graph/ops/columns.h"
#include "graph/ops/embed.h"
#include "graph/ops/expert_glu_linear.h"
#include "graph/ops/glu_linear.h"
#include "graph/ops/head_columns.h"
#include "graph/ops/head_linear.h"
#include "graph/ops/join_heads.h"
#include "graph/ops/layer_norm.h"
#include "graph/ops/mix_experts.h"
#include "graph/ops/pick_rows.h"
#include "graph/ops/rms_norm.h"

namespace skald {

using namespace input_names;

Net::Net(Graph& graph, WeightLookup lookup, StepCapacity capacity)
    : graph_(&graph), lookup_(std::move(lookup)), capacity_(capacity) {
  graph.made_for = capacity;
  if (graph.find(Source::kInput, kTokens) >= 0) return;  // of a model's other part
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
  // A router with inputs of its own has a vector of this name, for them.
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
  const Tensor within = rope_table(kPrefixPositions, rope), after = rope_table(kSuffixPositions, rope);
  return graph_->add(op_rope, Attrs(Rope{d_head / 2, rope.pairs}), {x, within, after}, scope_ + "rope");
}

Tensor Net::temper(Tensor x, const LogTemperature& temperature) {
  const Tensor positions = token_input(kPositions);
  return x * graph_->add_once(op_log_temperature, Attrs(temperature), {&positions, 1}, "temperature");
}

Tensor Net::output_rows(Tensor x) {
  return graph_->add(op_pick_rows, Attrs(NoAttrs{}), {x, Tensor{graph_, graph_->find(Source::kInput, kOutputRows)}},
                     "output_rows");
}

Tensor Net::hidden_rows(int64_t d_model) {
  if (const int id = graph_->find(Source::kInput, kHidden); id >= 0) return {graph_, id};
  return graph_->input(kHidden, {&format_f32, Shape{capacity_.tokens, d_model}, Rows::kTokens});
}

Tensor Net::hidden(Tensor x) {
  graph_->give(x.id, output_names::kHidden);
  return x;
}

Tensor Net::states(Tensor x) {
  graph_->give(x.id, output_names::kStates);
  return x;
}

void Net::give(Tensor last) {
  if (last.id != graph_->output(output_names::kStates)) graph_->give(last.id);
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
