#include "graph/ops/exchange_columns.h"

#include <cstring>
#include <vector>

#include "backend/cpu/ops/rowwise.h"
#include "backend/scratch.h"
#include "comm/group.h"

namespace skald {
namespace {

// Rows of some columns, one after the other.
class PackedColumns {
 public:
  PackedColumns(const TensorView& of, const Slices& parts) : of_(of), parts_(parts) {}

  int64_t bytes() const { return of_.rows() * of_.desc.format->bytes(size_of(parts_)); }
  /// Whether they lie so where they are.
  bool in_place() const {
    return parts_.size() == 1 && (of_.rows() == 1 || of_.row_stride() == of_.desc.format->bytes(parts_[0].n));
  }
  std::byte* there() const { return of_.data + of_.desc.format->bytes(parts_[0].first); }
  void pack(std::byte* to) const {
    for_pieces([&](std::byte* piece, size_t n) { std::memcpy(to, piece, n), to += n; });
  }
  void unpack(const std::byte* from) const {
    for_pieces([&](std::byte* piece, size_t n) { std::memcpy(piece, from, n), from += n; });
  }

 private:
  template <class F>
  void for_pieces(F f) const {
    const Format& format = *of_.desc.format;
    for (int64_t r = 0; r < of_.rows(); ++r)
      for (const Slice& p : parts_) f(of_.row_bytes(r) + format.bytes(p.first), static_cast<size_t>(format.bytes(p.n)));
  }

  const TensorView& of_;
  const Slices& parts_;
};

int64_t plan(const ExchangeColumns& a, const CpuPlanArgs& args) {
  const ValueDesc& in = args.in[0];
  Scratch scratch(nullptr);
  for (const ColumnExchange::Peer& peer : a.plan->peers())
    for (const Slices* parts : {&peer.sent, &peer.received})
      scratch.take<std::byte>(in.shape[0] * in.format->bytes(size_of(*parts)));
  return scratch.used();
}

void keep_own(const ColumnExchange::Peer& own, const OpArgs& io, Scratch& scratch) {
  const PackedColumns from(io.in[0], own.sent), to(io.out, own.received);
  if (from.bytes() == 0) return;
  std::byte* const between = scratch.take<std::byte>(from.bytes());
  from.pack(between);
  to.unpack(between);
}

void run(CpuContext& cx, const ExchangeColumns& a, const OpArgs& io) {
  Scratch scratch(cx.scratch);
  std::vector<Group::Send> sends;
  std::vector<Group::Receive> receives;
  for (size_t peer = 0; peer < a.plan->peers().size(); ++peer) {
    const auto& [sent, received] = a.plan->peers()[peer];
    if (peer == a.plan->rank()) continue;
    if (const PackedColumns from(io.in[0], sent); from.bytes() > 0) {
      std::byte* const at = from.in_place() ? from.there() : scratch.take<std::byte>(from.bytes());
      if (!from.in_place()) from.pack(at);
      sends.push_back({static_cast<int>(peer), {at, static_cast<size_t>(from.bytes())}});
    }
    if (const PackedColumns to(io.out, received); to.bytes() > 0) {
      std::byte* const at = to.in_place() ? to.there() : scratch.take<std::byte>(to.bytes());
      receives.push_back({static_cast<int>(peer), {at, static_cast<size_t>(to.bytes())}});
    }
  }
  keep_own(a.plan->peers()[a.plan->rank()], io, scratch);
  if (!sends.empty() || !receives.empty()) cx.step->group->exchange(sends, receives);
  for (const Group::Receive& r : receives)
    if (const PackedColumns to(io.out, a.plan->peers()[static_cast<size_t>(r.from)].received); !to.in_place())
      to.unpack(r.bytes.data());
}

}  // namespace

extern const CpuOp cpu_exchange_columns;
const CpuOp cpu_exchange_columns = implement<ExchangeColumns, run, plan>(op_exchange_columns);

}  // namespace skald
