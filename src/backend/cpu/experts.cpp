#include "backend/cpu/experts.h"

#include <numeric>

#include "backend/scratch.h"

namespace skald {
namespace {

// Reading an expert's weights takes about the time of multiplying this many rows by them.
constexpr int64_t kReadingRows = 8;

template <class T>
std::span<T> take(Scratch& scratch, int64_t n) {
  return {scratch.take<T>(n), static_cast<size_t>(n)};
}

// A thread's block of products, which stays in its L2 cache until it is worked on.
constexpr int64_t kBlockFloats = 65536;

}  // namespace

int64_t block_floats(int64_t rows) { return std::max(kBlockFloats, rows * kOutputGrain); }

int64_t outputs_at_once(int64_t rows) { return std::max(kBlockFloats / rows / kOutputGrain, int64_t{1}) * kOutputGrain; }

int64_t ExpertStep::grain_weight(const ExpertRows& e) { return e.n + kReadingRows; }

int64_t ExpertStep::scratch_bytes(int64_t tokens, int64_t k, int64_t n_experts) {
  Scratch counted(nullptr);
  counted.take<int32_t>(n_experts);
  counted.take<int32_t>(tokens * k);
  counted.take<int32_t>(tokens * k);
  counted.take<ExpertRows>(n_experts);
  counted.take<ExpertRows>(n_experts);
  return counted.used();
}

ExpertStep::ExpertStep(const TensorView& ids, int64_t n_experts, std::byte* memory, int64_t first) {
  const int64_t tokens = ids.rows(), k = ids.cols();
  const auto for_each_pair = [&](auto&& use) {
    for (int64_t t = 0; t < tokens; ++t)
      for (int64_t j = 0; j < k; ++j)
        if (const int64_t e = ids.row<int32_t>(t)[j] - first; e >= 0 && e < n_experts) use(static_cast<size_t>(e), t, j);
  };
  Scratch scratch(memory);
  const auto next = take<int32_t>(scratch, n_experts);  // row of each expert
  slots_ = take<int32_t>(scratch, tokens * k);
  tokens_ = take<int32_t>(scratch, tokens * k);
  experts_ = take<ExpertRows>(scratch, n_experts);
  heaviest_ = take<ExpertRows>(scratch, n_experts);

  std::ranges::fill(next, 0);
  for_each_pair([&](size_t e, int64_t, int64_t) { ++next[e]; });
  size_t used = 0;
  int32_t rows = 0;
  for (size_t e = 0; e < next.size(); ++e) {
    const int32_t n = next[e];
    next[e] = rows;
    if (n) experts_[used++] = {static_cast<int64_t>(e), rows, n};
    rows += n;
  }
  for_each_pair([&](size_t e, int64_t t, int64_t j) {
    const auto row = static_cast<size_t>(next[e]++);
    slots_[row] = static_cast<int32_t>(t * k + j);
    tokens_[row] = static_cast<int32_t>(t);
  });
  slots_ = slots_.first(static_cast<size_t>(rows));
  tokens_ = tokens_.first(static_cast<size_t>(rows));
  experts_ = experts_.first(used);
  heaviest_ = heaviest_.first(used);
  std::ranges::copy(experts_, heaviest_.begin());
  std::ranges::stable_sort(heaviest_, std::greater<>(), &ExpertRows::n);
}

}  // namespace skald
