#include "graph/ops/exchange_columns.h"

#include <algorithm>

#include "graph/checks.h"

namespace skald {
namespace {

Slices parts_of(const Cut& cut, size_t rank, int64_t columns) { return cut ? cut[rank] : Slices{{0, columns}}; }

Slices without(const Slices& parts, const Slice& gone) {
  Slices out;
  for (const Slice& p : parts) {
    if (const int64_t n = std::min(p.end(), gone.first) - p.first; n > 0) out.push_back({p.first, n});
    if (const int64_t first = std::max(p.first, gone.end()); first < p.end()) out.push_back({first, p.end() - first});
  }
  return out;
}

// What of its columns a rank gives: those that no earlier rank has too.
Slices owned(const Cut& cut, size_t rank) {
  Slices left = cut[rank];
  for (size_t other = 0; other < rank; ++other)
    for (const Slice& theirs : cut[other]) left = without(left, theirs);
  return left;
}

Slices both(const Slices& a, const Slices& b) {
  Slices out;
  for (const Slice& p : b)
    for (const Slice& common : inside(a, p)) out.push_back({common.first + p.first, common.n});
  return out;
}

// Columns of the whole value, counted among those that a rank has.
Slices local(const Slices& parts, const Slices& of_rank) {
  Slices out;
  for (const Slice& p : parts) out.push_back({size_of(inside(of_rank, {0, p.first})), p.n});
  return out;
}

}  // namespace

ColumnExchange::ColumnExchange(int64_t columns, const Cut& from, const Cut& to, size_t rank)
    : columns_(columns), rank_(rank) {
  const Slices before = parts_of(from, rank, columns), after = parts_of(to, rank, columns);
  in_ = size_of(before);
  out_ = size_of(after);
  peers_.resize(std::max({from.ranks(), to.ranks(), rank + 1}));
  const Slices kept = both(before, after);  // needs no other rank
  peers_[rank] = {local(kept, before), local(kept, after)};
  for (size_t peer = 0; from && peer < peers_.size(); ++peer) {
    if (peer == rank) continue;
    Slices wanted = after, wanted_there = parts_of(to, peer, columns);
    for (const Slice& there : before) wanted = without(wanted, there);
    for (const Slice& there : from[peer]) wanted_there = without(wanted_there, there);
    peers_[peer] = {local(both(owned(from, rank), wanted_there), before), local(both(owned(from, peer), wanted), after)};
  }
}

std::string ExchangeColumns::describe() const {
  return fmt::format("{} of {} to {}", plan->columns_in(), plan->columns(), plan->columns_out());
}

static ValueDesc infer(const ExchangeColumns& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  want_cols(in[0], a.plan->columns_in(), "the rank's columns");
  return {in[0].format, Shape{in[0].shape[0], a.plan->columns_out()}, in[0].rows};
}

static Cost cost(const ExchangeColumns&, std::span<const ValueDesc> in, const ValueDesc& out, const StepStats& step) {
  return {.bytes = step.bytes(in[0]) + step.bytes(out)};
}

const OpDef op_exchange_columns = define_op<ExchangeColumns, infer, nullptr, cost>("exchange_columns");

}  // namespace skald
