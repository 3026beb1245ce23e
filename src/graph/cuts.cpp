#include "graph/cuts.h"

#include <algorithm>

namespace skald {
namespace {

// Of a vector that is repeated along the columns: whether each part begins and ends with it.
bool repeats(const Cut& wanted, int64_t n) {
  return std::ranges::all_of(wanted.of_rank, [n](const Slices& parts) { return over(parts, n).has_value(); });
}

std::optional<CutInput> cut_input(const ValueDesc& in, int64_t columns, const Cut& wanted) {
  const int64_t n = in.shape.back();
  if (in.shape.rank() == 1 && in.rows != Rows::kFixed) return CutInput{};  // numbers of rows
  if (n == columns) return CutInput{in.shape.rank() - 1, wanted};
  if (n == 1) return CutInput{};
  if (in.shape.rank() == 1) return repeats(wanted, n) ? std::optional(CutInput{}) : std::nullopt;
  if (std::optional<Cut> shared = over(wanted, columns / n)) return CutInput{1, std::move(*shared)};
  return {};
}

bool overlap(const Slices& a, const Slices& b) {
  return std::ranges::any_of(a, [&](const Slice& p) { return !inside(b, p).empty(); });
}

}  // namespace

std::optional<CutPlan> cut_elementwise(std::span<const ValueDesc> in, const ValueDesc& out, const Cut& wanted) {
  CutPlan plan;
  for (const ValueDesc& d : in) {
    std::optional<CutInput> input = cut_input(d, out.shape.back(), wanted);
    if (!input) return {};
    plan.inputs.push_back(std::move(*input));
  }
  return plan;
}

std::optional<Followed> follow_input(const Node& node, std::span<const ValueDesc> in, size_t at, const Cut& cut) {
  const int64_t from = in[at].shape.back(), to = node.out.shape.back();
  if (!node.op->cut || (from % to && to % from)) return {};
  std::optional<Cut> wanted = from >= to ? over(cut, from / to) : std::optional(times(cut, to / from));
  std::optional<CutPlan> plan = wanted ? node.op->cut(node.attrs, in, node.out, *wanted) : std::nullopt;
  if (!plan || plan->inputs[at].cut != cut) return {};
  return Followed{std::move(*wanted), std::move(*plan)};
}

bool can_cut_blocks(const Format& format, const Cut& columns) {
  if (!over(columns, format.block)) return false;
  for (size_t a = 0; a < columns.ranks(); ++a)
    for (size_t b = 0; b < a; ++b)
      if (columns[a] != columns[b] && overlap(columns[a], columns[b])) return false;
  return true;
}

Cut repeated(const Cut& cut, int64_t n, int64_t times) {
  return cut.map([&](const Slices& parts) {
    Slices out;
    for (int64_t i = 0; i < times; ++i) out = united(out, shifted(parts, i * n));
    return out;
  });
}

}  // namespace skald
