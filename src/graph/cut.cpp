#include "graph/cut.h"

#include <algorithm>

#include "base/error.h"
#include "graph/op.h"

namespace skald {

Slices times(const Slices& parts, int64_t by) {
  Slices out = parts;
  for (Slice& p : out) p = {p.first * by, p.n * by};
  return out;
}

std::optional<Slices> over(const Slices& parts, int64_t by) {
  Slices out;
  for (const Slice& p : parts) {
    if (p.first % by || p.n % by) return {};
    out.push_back({p.first / by, p.n / by});
  }
  return out;
}

Slices inside(const Slices& parts, Slice within) {
  Slices out;
  for (const Slice& p : parts) {
    const int64_t first = std::max(p.first, within.first), end = std::min(p.end(), within.end());
    if (first < end) out.push_back({first - within.first, end - first});
  }
  return out;
}

Slices shifted(const Slices& parts, int64_t by) {
  Slices out = parts;
  for (Slice& p : out) p.first += by;
  return out;
}

Slices united(Slices a, const Slices& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a, {}, &Slice::first);
  Slices out;
  for (const Slice& p : a) {
    if (!out.empty() && p.first <= out.back().end())
      out.back().n = std::max(out.back().end(), p.end()) - out.back().first;
    else
      out.push_back(p);
  }
  return out;
}

int64_t size_of(const Slices& parts) {
  int64_t sum = 0;
  for (const Slice& p : parts) sum += p.n;
  return sum;
}

int64_t Cut::most() const {
  int64_t most = 0;
  for (const Slices& parts : of_rank) most = std::max(most, size_of(parts));
  return most;
}

Cut times(const Cut& cut, int64_t by) {
  return cut.map([by](const Slices& parts) { return times(parts, by); });
}

std::optional<Cut> over(const Cut& cut, int64_t by) {
  Cut out;
  for (const Slices& parts : cut.of_rank) {
    std::optional<Slices> divided = over(parts, by);
    if (!divided) return {};
    out.of_rank.push_back(std::move(*divided));
  }
  return out;
}

Slice even_slice(int64_t n, size_t rank, size_t ranks) {
  const auto r = static_cast<int64_t>(rank), of = static_cast<int64_t>(ranks);
  if (n < of) return {r * n / of, 1};
  return {n * r / of, n * (r + 1) / of - n * r / of};
}

Cut even_cut(int64_t n, size_t ranks) { return even_cut(n, ranks, 1); }

Cut even_cut(int64_t n, size_t ranks, int64_t grain) {
  Cut out;
  for (size_t r = 0; r < ranks; ++r) {
    const Slice units = even_slice((n + grain - 1) / grain, r, ranks);
    out.of_rank.push_back({{units.first * grain, std::min(units.end() * grain, n) - units.first * grain}});
  }
  return out;
}

HeadCut cut_heads(int64_t heads, int64_t groups, size_t ranks, bool tiled) {
  const int64_t per_group = heads / groups;
  HeadCut out{even_cut(groups, ranks), {}};
  for (size_t r = 0; r < ranks; ++r) {
    const Slice group = out.groups[r].front();
    // Ranks with the same group divide it.
    const auto shares = [&](size_t other) { return out.groups[other] == out.groups[r]; };
    size_t before = 0, sharers = 0;
    for (size_t other = 0; other < ranks; ++other) {
      before += other < r && shares(other);
      sharers += shares(other);
    }
    const Slice own = even_slice(per_group, before, sharers);
    if (tiled) {
      Slices parts;
      for (int64_t tile = own.first; tile < own.end(); ++tile)
        parts = united(parts, {{tile * groups + group.first, group.n}});
      out.heads.of_rank.push_back(std::move(parts));
    } else {
      out.heads.of_rank.push_back({{group.first * per_group + own.first, group.n > 1 ? group.n * per_group : own.n}});
    }
  }
  return out;
}

}  // namespace skald
