#include "tools/synth/synth_recipe.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/lowercase.h"
#include "models/family.h"
#include "quant/made_up.h"
#include "quant/registry.h"
#include "tools/synth/model_shape.h"

namespace skald {
namespace {

// A prime number of the largest blocks, so that repetitions do not line up with rows.
constexpr int64_t kTableElements = int64_t{4099} * 256;

bool is_f32(std::string_view name, const Shape& shape) {
  return shape.rank() == 1 || name.ends_with(".bias") || name.ends_with("ffn_gate_inp.weight");
}

// The weights that the family's graph asks for.
std::vector<SynthRecipe::Weight> wanted_weights(const ModelShape& s, const Format& type, const Meta& meta) {
  const auto matrix = [&](std::string_view name, const Shape& shape) {
    if (shape.back() % type.block)
      fail(Errc::kBadInput, "{} of {}: rows of {} elements are no whole blocks of {}, which have {}", name, s.name,
           shape.back(), type.name, type.block);
    return TensorDesc{&type, shape};
  };
  const auto lookup = [&](std::string_view name, const Shape* want) -> std::optional<TensorDesc> {
    if (want) return is_f32(name, *want) ? TensorDesc{&format_f32, *want} : matrix(name, *want);
    if (name == "token_embd.weight" || (name == "output.weight" && !s.tied))
      return matrix(name, Shape{s.n_vocab, s.d_model});
    return std::nullopt;
  };
  Graph graph;
  Net net(graph, lookup, {1, 1});
  find_family(s.arch).build(net, MetaView(meta, std::string(s.arch)));
  std::vector<SynthRecipe::Weight> out;
  for (const Node& n : graph.nodes())
    if (n.source == Source::kWeight) out.push_back({n.name, n.out.tensor()});
  return out;
}

}  // namespace

SynthRecipe synth_recipe(const SynthSpec& spec) {
  const ModelShape s = find_shape(spec.shape, spec.n_layers);
  const Format* format = find_format(lowercase(spec.type));  // "Q8_0" too
  if (!format || !can_make_up(*format)) fail(Errc::kBadInput, "unknown weight type '{}'", spec.type);
  SynthRecipe recipe{.meta = hyperparameters(s), .weights = {}, .type = format, .matrix = {}, .vector = {}};
  recipe.weights = wanted_weights(s, *format, recipe.meta);
  // Of a spread that keeps activations from growing.
  recipe.matrix = made_up_weights(*format, kTableElements, 1.0f / std::sqrt(static_cast<float>(s.d_model)));
  recipe.vector = made_up_weights(format_f32, kTableElements, 1.0f);
  return recipe;
}

void SynthRecipe::give(const Weight& weight, const Take& take) const {
  const std::span<const std::byte> table = weight.tensor.format == type ? matrix : vector;
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
