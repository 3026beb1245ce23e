#include "tools/synth/synth_recipe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "base/error.h"
#include "base/lowercase.h"
#include "graph/pick_early.h"
#include "models/family.h"
#include "quant/made_up.h"
#include "quant/registry.h"
#include "tools/quantize/quantize_mix.h"
#include "tools/synth/model_shape.h"
#include "tools/synth/shape_extras.h"

namespace skald {
namespace {

// A prime number of the largest blocks, so that repetitions do not line up with rows.
constexpr int64_t kTableElements = int64_t{4099} * 256;

bool is_f32(std::string_view name, const Shape& shape) {
  if (shape.rank() == 1 || name.ends_with(".bias")) return true;
  constexpr std::array kSmall = {"ffn_gate_inp.weight", "conv.weight", "conv1d.weight", "ssm_a", "ssm_d", "norm.weight"};
  return std::ranges::any_of(kSmall, [&](std::string_view end) { return name.ends_with(end); });
}

bool is_matrix(const SynthRecipe::Weight& w) { return !is_f32(w.name, w.tensor.shape); }

// A weight that files may have and this shape has.
std::optional<Shape> optional_weight(const ModelShape& s, std::string_view name) {
  const ShapeExtras* extras = find_extras(s.arch);
  if (!extras) return {};
  const std::string_view layer = layer_of_name(name);
  const int64_t i = layer.empty() ? -1 : std::stoll(std::string(layer.substr(4)));
  return extras->optional_weight(s, i, layer.empty() ? name : name.substr(layer.size() + 1));
}

using Asked = std::map<std::string, Shape, std::less<>>;  // shapes of weights as files have them

// Of the family; `asked` gets the weights that it asks for.
Graph graph_of(const ModelShape& s, const Format& type, const Meta& meta, const StepCapacity& capacity, Asked& asked) {
  // As quantising gives it: rows that are no whole blocks have another type.
  const auto matrix = [&](const Shape& shape) { return TensorDesc{&fitting_format(type, shape.back()), shape}; };
  const auto lookup = [&](std::string_view name, const Shape* want) -> std::optional<TensorDesc> {
    if (want) asked.insert_or_assign(std::string(name), *want);
    if (want) return is_f32(name, *want) ? TensorDesc{&format_f32, *want} : matrix(*want);
    if (name == "token_embd.weight" || (name == "output.weight" && !s.tied)) return matrix(Shape{s.n_vocab, s.d_model});
    if (const std::optional<Shape> shape = optional_weight(s, name))
      return is_f32(name, *shape) ? TensorDesc{&format_f32, *shape} : matrix(*shape);
    return std::nullopt;
  };
  Graph graph;
  Net net(graph, lookup, capacity);
  net.give(find_family(s.arch).build(net, MetaView(meta, std::string(s.arch))));
  return graph;
}

std::vector<SynthRecipe::Weight> wanted_weights(const ModelShape& s, const Format& type, const Meta& meta) {
  Asked asked;
  const Graph graph = graph_of(s, type, meta, {1, 1}, asked);
  std::vector<SynthRecipe::Weight> out;
  for (const Node& n : graph.nodes())
    if (n.source == Source::kWeight) out.push_back({n.name, {n.out.format, asked.at(n.name)}});
  return out;
}

// States must not grow: -(1/4 + x^2).
std::vector<std::byte> negative(std::span<const std::byte> floats) {
  std::vector<std::byte> out(floats.begin(), floats.end());
  for (size_t at = 0; at < out.size(); at += sizeof(float)) {
    float x = 0;
    std::memcpy(&x, &out[at], sizeof x);
    x = -(0.25f + x * x);
    std::memcpy(&out[at], &x, sizeof x);
  }
  return out;
}

const Format& format_of(const SynthSpec& spec) {
  const Format* format = find_format(lowercase(spec.type));  // "Q8_0" too
  if (!format || !can_make_up(*format)) fail(Errc::kBadInput, "unknown weight type '{}'", spec.type);
  return *format;
}

}  // namespace

Graph shape_graph(const SynthSpec& spec, StepCapacity capacity) {
  const ModelShape s = find_shape(spec.shape, spec.n_layers);
  Asked asked;
  return pick_early(graph_of(s, format_of(spec), hyperparameters(s), capacity, asked));
}

SynthRecipe synth_recipe(const SynthSpec& spec) {
  const ModelShape s = find_shape(spec.shape, spec.n_layers);
  const Format& format = format_of(spec);
  SynthRecipe recipe{.meta = hyperparameters(s), .weights = {}, .type = &format, .matrices = {}, .floats = {}, .decays = {}};
  recipe.weights = wanted_weights(s, format, recipe.meta);
  recipe.floats = made_up_weights(format_f32, kTableElements, 1.0f);
  recipe.decays = negative(recipe.floats);
  // Of a spread that keeps activations from growing.
  const float spread = 1.0f / std::sqrt(static_cast<float>(s.d_model));
  for (const SynthRecipe::Weight& w : recipe.weights)
    if (is_matrix(w))
      if (auto& table = recipe.matrices[w.tensor.format]; table.empty())
        table = made_up_weights(*w.tensor.format, kTableElements, spread);
  return recipe;
}

const std::vector<std::byte>& SynthRecipe::table_of(const Weight& weight) const {
  if (weight.name.ends_with("ssm_a")) return decays;
  return is_matrix(weight) ? matrices.at(weight.tensor.format) : floats;
}

void SynthRecipe::give(const Weight& weight, const Take& take) const {
  const std::span<const std::byte> table = table_of(weight);
  for (int64_t left = weight.tensor.bytes(); left > 0;) {
    const auto piece = table.first(static_cast<size_t>(std::min(left, static_cast<int64_t>(table.size()))));
    take(piece);
    left -= static_cast<int64_t>(piece.size());
  }
}

int64_t SynthRecipe::bytes() const {
  int64_t sum = 0;
  for (const Weight& w : weights) sum += w.tensor.bytes();
  return sum;
}

}  // namespace skald
