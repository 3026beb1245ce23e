// What operations say about cuts (graph/cut.h), where several say the same.
#pragma once

#include <span>
#include <utility>

#include "graph/graph.h"

namespace skald {

/// Of element-wise operations, and those that take rows as they are: a column of the output comes of the same column of each
/// input, of one column for several, or of a vector that is repeated.
std::optional<CutPlan> cut_elementwise(std::span<const ValueDesc> in, const ValueDesc& out, const Cut& wanted);
template <class A>
std::optional<CutPlan> cut_columns_alike(const A&, std::span<const ValueDesc> in, const ValueDesc& out, const Cut& wanted) {
  return cut_elementwise(in, out, wanted);
}

/// How the columns of an output of `parts` equal parts (heads) are cut: by parts. None where one is cut through.
inline std::optional<Cut> cut_of_parts(const ValueDesc& out, int64_t parts, const Cut& wanted) {
  return over(wanted, out.shape.back() / parts);
}

/// The attributes `a` with the number of a rank's parts in the field `count`.
template <class A>
std::function<Attrs(size_t rank)> attrs_of_parts(const A& a, int64_t A::*count, Cut parts) {
  return [a, count, parts = std::move(parts)](size_t rank) {
    A own = a;
    own.*count = size_of(parts[rank]);
    return Attrs(own);
  };
}

/// Likewise, with its numbers of heads and of groups that these share.
template <class A>
std::function<Attrs(size_t rank)> attrs_of_heads(const A& a, int64_t A::*heads, int64_t A::*groups, HeadCut of) {
  return [a, heads, groups, of = std::move(of)](size_t rank) {
    A own = a;
    own.*heads = size_of(of.heads[rank]);
    own.*groups = size_of(of.groups[rank]);
    return Attrs(own);
  };
}

/// Of norms over equal parts of a row, whose weights are for every part or for each one.
template <class A>
std::optional<CutPlan> cut_norm(const A& a, std::span<const ValueDesc> in, const ValueDesc& out, const Cut& wanted) {
  const std::optional<Cut> parts = cut_of_parts(out, a.parts, wanted);
  if (!parts || a.parts == 1) return {};
  CutPlan plan{{{1, wanted}}, attrs_of_parts(a, &A::parts, *parts)};
  for (const ValueDesc& weight : in.subspan(1))
    plan.inputs.push_back(weight.shape.elements() == out.shape.back() ? CutInput{0, wanted} : CutInput{});
  return plan;
}

/// The cut of a node's output that goes along with the cut of one input, and the plan by which it does.
struct Followed {
  Cut cut;
  CutPlan plan;
};
/// `in`: what the node's inputs are. None where it cannot take the input `at` so.
std::optional<Followed> follow_input(const Node& node, std::span<const ValueDesc> in, size_t at, const Cut& cut);

/// Whether sums over these columns can be cut so in a weight of this format: no block is cut through, and ranks that share a
/// column share all.
bool can_cut_blocks(const Format& format, const Cut& columns);

/// The same parts of each of `times` pieces of `n` columns.
Cut repeated(const Cut& cut, int64_t n, int64_t times);

}  // namespace skald
