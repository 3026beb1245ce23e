#include "loading/layouts.h"

#include <charconv>
#include <map>

namespace skald {
namespace {

using Weight = WeightSet::Weight;
using Weights = std::unordered_map<std::string, Weight>;

// "blk.3.ffn_gate.7.weight": expert 7 of "blk.3.ffn_gate_exps.weight".
struct OfExpert {
  std::string joined;
  int64_t expert;
};

std::optional<OfExpert> of_expert(std::string_view name) {
  for (const std::string_view part : {".ffn_gate.", ".ffn_up.", ".ffn_down."}) {
    const size_t at = name.find(part);
    if (!name.starts_with("blk.") || at == name.npos) continue;
    const char* const begin = name.data() + at + part.size();
    const char* const end = name.data() + name.size();
    int64_t expert = 0;
    const auto [rest, error] = std::from_chars(begin, end, expert);
    if (error != std::errc() || expert < 0 || rest == end || *rest != '.') return {};
    return OfExpert{std::string(name.substr(0, at + part.size() - 1)) + "_exps" + std::string(rest, end), expert};
  }
  return {};
}

std::span<const std::byte> bytes_of(const Weight& w) { return {w.data, static_cast<size_t>(w.bytes)}; }

// The factor of a matrix's products: a number, for each expert where it has several.
bool is_scale(std::string_view name) { return name.ends_with(".scale"); }

// Dimensions of one expert's matrix or bias after the number of experts.
Shape stacked(std::string_view name, int64_t experts, const Shape& one) {
  if (is_scale(name) && one == Shape{1}) return Shape{experts};
  return one.rank() == 1 ? Shape{experts, one[0]} : Shape{experts, one[0], one[1]};
}

// The experts' tensors as one; nullopt where they do not fit together.
std::optional<Weight> joined(std::string_view name, const std::map<int64_t, const Weight*>& experts) {
  const Weight& first = *experts.begin()->second;
  const auto n = static_cast<int64_t>(experts.size());
  if (experts.rbegin()->first != n - 1 || first.shape.rank() > 2 || first.type->panels) return {};
  Weight all{first.type, stacked(name, n, first.shape), nullptr, n * first.bytes};
  for (const auto& [expert, w] : experts) {
    if (w->type != first.type || w->shape != first.shape) return {};
    all.pieces.push_back(bytes_of(*w));
  }
  return all;
}

void join_experts(Weights& weights) {
  std::map<std::string, std::map<int64_t, const Weight*>> parts;
  std::map<std::string, std::vector<std::string>> names;
  for (const auto& [name, w] : weights)
    if (const std::optional<OfExpert> of = of_expert(name)) {
      parts[of->joined][of->expert] = &w;
      names[of->joined].push_back(name);
    }
  for (const auto& [name, experts] : parts) {
    std::optional<Weight> all = weights.contains(name) ? std::nullopt : joined(name, experts);
    if (!all) continue;
    for (const std::string& old : names[name]) weights.erase(old);
    weights.emplace(name, std::move(*all));
  }
}

// Half of the rows of each expert: its gate's, or its up's. A bias (experts, rows) has rows of one value; a scale goes for
// both.
Weight half_of(std::string_view name, const Weight& both, bool second) {
  if (is_scale(name)) return both;
  Weight half{both.type, both.shape, nullptr, both.bytes / 2};
  half.shape[1] /= 2;
  const size_t experts = static_cast<size_t>(both.shape[0]), bytes = static_cast<size_t>(half.bytes) / experts;
  for (size_t i = 0; i < experts; ++i) half.pieces.push_back(bytes_of(both).subspan((2 * i + second) * bytes, bytes));
  return half;
}

bool can_be_halved(std::string_view name, const Weight& w) {
  if (is_scale(name)) return w.shape.rank() == 1;
  const bool matrix = w.shape.rank() == 3, bias = w.shape.rank() == 2 && w.type->block == 1;
  return (matrix || bias) && !w.type->panels && w.shape[0] > 0 && w.shape[1] % 2 == 0;
}

void split_gate_up(Weights& weights) {
  constexpr std::string_view kBoth = ".ffn_gate_up_exps.";
  std::vector<std::string> names;
  for (const auto& [name, w] : weights)
    if (name.find(kBoth) != name.npos && can_be_halved(name, w)) names.push_back(name);
  for (const std::string& name : names) {
    const size_t at = name.find(kBoth);
    const auto named = [&](std::string_view part) {
      return name.substr(0, at) + std::string(part) + name.substr(at + kBoth.size());
    };
    const std::string gate = named(".ffn_gate_exps."), up = named(".ffn_up_exps.");
    if (weights.contains(gate) || weights.contains(up)) continue;
    const Weight both = weights.at(name);
    weights.erase(name);
    weights.emplace(gate, half_of(name, both, false));
    weights.emplace(up, half_of(name, both, true));
  }
}

}  // namespace

void unify_layouts(WeightSet& set) {
  join_experts(set.weights);
  split_gate_up(set.weights);
}

}  // namespace skald
