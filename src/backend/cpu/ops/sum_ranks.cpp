#include "graph/ops/sum_ranks.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/ops/rowwise.h"
#include "base/error.h"
#include "comm/group.h"

namespace skald {
namespace {

// Where a rank sends no more floats than these, it sends its addend to every other rank, and adds up all: one exchange
// instead of two.
constexpr int64_t kSmallFloats = 16384;

bool is_small(int64_t n, size_t ranks) { return n * (static_cast<int64_t>(ranks) - 1) <= kSmallFloats; }

int64_t floats_of(const ValueDesc& d) { return d.shape[0] * d.shape[1]; }

std::span<const std::byte> bytes_of(const float* x, int64_t n) {
  return {reinterpret_cast<const std::byte*>(x), static_cast<size_t>(n) * sizeof(float)};
}
std::span<std::byte> bytes_of(float* x, int64_t n) {
  return {reinterpret_cast<std::byte*>(x), static_cast<size_t>(n) * sizeof(float)};
}

/// A sum over the ranks of one value.
class Sum {
 public:
  Sum(CpuContext& cx, const RankSum& plan, const OpArgs& io)
      : cx_(cx),
        plan_(plan),
        x_(io.in[0].as()),
        y_(io.out.as()),
        n_(io.out.rows() * io.out.cols()),
        from_others_(reinterpret_cast<float*>(cx.scratch)) {}

  void run() {
    if (is_small(n_, ranks())) {
      collect([this](size_t) { return Slice{0, n_}; });
      add_up({0, n_});
      return;
    }
    collect([this](size_t rank) { return even_slice(n_, rank, ranks()); });
    add_up(even_slice(n_, plan_.rank, ranks()));
    give_chunks();
  }

 private:
  size_t ranks() const { return plan_.adds.size(); }

  // Sends to each rank what it adds up, and gets what this one does: (ranks, its floats).
  template <class PartOf>
  void collect(PartOf part_of) {
    sends_.clear();
    receives_.clear();
    const Slice own = part_of(plan_.rank);
    for (size_t r = 0; r < ranks(); ++r) {
      if (r == plan_.rank) continue;
      const Slice theirs = part_of(r);
      if (plan_.adds[plan_.rank]) sends_.push_back({static_cast<int>(r), bytes_of(x_ + theirs.first, theirs.n)});
      if (plan_.adds[r]) receives_.push_back({static_cast<int>(r), bytes_of(addend(r, own.n), own.n)});
    }
    cx_.step->group->exchange(sends_, receives_);
  }

  float* addend(size_t rank, int64_t n) { return from_others_ + static_cast<int64_t>(rank) * n; }

  void add_up(const Slice& own) {
    constexpr int64_t kGrain = 1024;
    cx_.pool.ranges(own.n, kGrain, [&](int64_t begin, int64_t end, int) { add_up(own, begin, end - begin); });
  }

  void add_up(const Slice& own, int64_t begin, int64_t n) {
    float* const y = y_ + own.first + begin;
    bool first = true;
    for (size_t r = 0; r < ranks(); ++r) {
      if (!plan_.adds[r]) continue;
      const float* const x = r == plan_.rank ? x_ + own.first + begin : addend(r, own.n) + begin;
      if (first)
        std::memcpy(y, x, static_cast<size_t>(n) * sizeof(float));
      else
        cx_.kernels.add(y, x, y, n);
      first = false;
    }
  }

  void give_chunks() {
    sends_.clear();
    receives_.clear();
    const Slice own = even_slice(n_, plan_.rank, ranks());
    for (size_t r = 0; r < ranks(); ++r) {
      if (r == plan_.rank) continue;
      const Slice theirs = even_slice(n_, r, ranks());
      sends_.push_back({static_cast<int>(r), bytes_of(static_cast<const float*>(y_) + own.first, own.n)});
      receives_.push_back({static_cast<int>(r), bytes_of(y_ + theirs.first, theirs.n)});
    }
    cx_.step->group->exchange(sends_, receives_);
  }

  CpuContext& cx_;
  const RankSum& plan_;
  const float* x_;
  float* y_;
  int64_t n_;
  float* from_others_;
  std::vector<Group::Send> sends_;
  std::vector<Group::Receive> receives_;
};

int64_t plan(const SumRanks& a, const CpuPlanArgs& args) {
  const auto ranks = static_cast<int64_t>(a.plan->adds.size());
  const int64_t n = floats_of(args.in[0]);
  return std::max(2 * kSmallFloats, n + ranks) * int64_t{sizeof(float)};
}

void run(CpuContext& cx, const SumRanks& a, const OpArgs& io) {
  SKALD_ASSERT(!io.in[0].slice_stride && !io.out.slice_stride);  // as products give them
  Sum(cx, *a.plan, io).run();
}

}  // namespace

extern const CpuOp cpu_sum_ranks;
const CpuOp cpu_sum_ranks = implement<SumRanks, run, plan>(op_sum_ranks);

}  // namespace skald
