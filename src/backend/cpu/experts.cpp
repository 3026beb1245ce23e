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

ExpertStep::ExpertStep(const TensorView& ids, int64_t n_experts, std::byte* memory) {
  const int64_t tokens = ids.rows(), k = ids.cols();
  Scratch scratch(memory);
  const auto next = take<int32_t>(scratch, n_experts);  // row of each expert
  slots_ = take<int32_t>(scratch, tokens * k);
  tokens_ = take<int32_t>(scratch, tokens * k);
  experts_ = take<ExpertRows>(scratch, n_experts);
  heaviest_ = take<ExpertRows>(scratch, n_experts);

  std::ranges::fill(next, 0);
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t j = 0; j < k; ++j) ++next[static_cast<size_t>(ids.row<int32_t>(t)[j])];
  size_t used = 0;
  int32_t first = 0;
  for (size_t e = 0; e < next.size(); ++e) {
    const int32_t n = next[e];
    next[e] = first;
    if (n) experts_[used++] = {static_cast<int64_t>(e), first, n};
    first += n;
  }
  for (int64_t t = 0; t < tokens; ++t)
    for (int64_t j = 0; j < k; ++j) {
      const auto row = static_cast<size_t>(next[static_cast<size_t>(ids.row<int32_t>(t)[j])]++);
      slots_[row] = static_cast<int32_t>(t * k + j);
      tokens_[row] = static_cast<int32_t>(t);
    }
  experts_ = experts_.first(used);
  heaviest_ = heaviest_.first(used);
  std::ranges::copy(experts_, heaviest_.begin());
  std::ranges::stable_sort(heaviest_, std::greater<>(), &ExpertRows::n);
}

}  // namespace skald
