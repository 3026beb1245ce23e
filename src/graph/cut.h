// Cut: which part of a value or weight each of several ranks has. How operations follow a cut is theirs to say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace skald {

class Attrs;

/// Neighbours among the columns of a value, the rows of a weight, or heads.
struct Slice {
  int64_t first = 0, n = 0;

  int64_t end() const { return first + n; }
  friend bool operator==(const Slice&, const Slice&) = default;
};

/// In order, and none touches the next one.
using Slices = std::vector<Slice>;

/// Slices that are `by` times as large: of units, their columns.
Slices times(const Slices& parts, int64_t by);
/// The reverse; none where a part does not divide.
std::optional<Slices> over(const Slices& parts, int64_t by);
/// What of the parts lies in `within`, counted from its beginning.
Slices inside(const Slices& parts, Slice within);
/// The parts, `by` further on.
Slices shifted(const Slices& parts, int64_t by);
/// What either of them has.
Slices united(Slices a, const Slices& b);
int64_t size_of(const Slices& parts);

/// The parts of a dimension by rank. Several ranks may have the same ones; then the first one counts as the owner. No rank
/// has none. Empty: each rank has all.
struct Cut {
  std::vector<Slices> of_rank;

  explicit operator bool() const { return !of_rank.empty(); }
  const Slices& operator[](size_t rank) const { return of_rank[rank]; }
  size_t ranks() const { return of_rank.size(); }
  /// Applies fn(parts) -> Slices to each rank's.
  template <class F>
  Cut map(F fn) const {
    Cut out;
    for (const Slices& parts : of_rank) out.of_rank.push_back(fn(parts));
    return out;
  }
  /// The largest share of a rank.
  int64_t most() const;
  friend bool operator==(const Cut&, const Cut&) = default;
};

Cut times(const Cut& cut, int64_t by);
/// None where some part does not divide.
std::optional<Cut> over(const Cut& cut, int64_t by);

/// A rank's share of n units, as even as can be. Of fewer units than ranks, neighbouring ranks have the same one.
Slice even_slice(int64_t n, size_t rank, size_t ranks);
/// The shares of all ranks.
Cut even_cut(int64_t n, size_t ranks);
/// The same in pieces of `grain` units; the last one may be smaller.
Cut even_cut(int64_t n, size_t ranks, int64_t grain);

/// Groups of heads over the ranks. With fewer groups than ranks, ranks share a group and divide its heads.
struct HeadCut {
  Cut groups, heads;
};
/// `tiled`: head h is of group h mod groups; else neighbours are of one group.
HeadCut cut_heads(int64_t heads, int64_t groups, size_t ranks, bool tiled = false);

/// What a cut operation takes of one input.
struct CutInput {
  int dimension = -1;  // that is cut; of a value with rows, 1; -1: none
  Cut cut = {};        // where a rank has no part of a weight, the operation does without this input there
};

/// An operation's share of each rank.
struct CutPlan {
  std::vector<CutInput> inputs;
  std::function<Attrs(size_t rank)> attrs = {};  // none: as they are
};

}  // namespace skald
