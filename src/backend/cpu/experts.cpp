#include "backend/cpu/experts.h"

#include <numeric>

namespace skald {
namespace {

// Reading an expert's weights takes about the time of multiplying so many rows by them.
constexpr int64_t kReadingRows = 8;

constexpr int64_t kAlignment = 64;

// Takes arrays out of scratch memory, one behind the other.
class Carver {
 public:
  explicit Carver(std::byte* at) : at_(at) {}

  template <class T>
  std::span<T> take(int64_t n) {
    const std::span<T> out(reinterpret_cast<T*>(at_), static_cast<size_t>(n));
    at_ += round_up(n * static_cast<int64_t>(sizeof(T)), kAlignment);
    return out;
  }
  int64_t taken(const std::byte* from) const { return at_ - from; }

 private:
  std::byte* at_;
};

}  // namespace

int64_t ExpertStep::grain_weight(const ExpertRows& e) { return e.n + kReadingRows; }

int64_t ExpertStep::scratch_bytes(int64_t tokens, int64_t k, int64_t n_experts) {
  Carver carver(nullptr);
  carver.take<int32_t>(n_experts);
  carver.take<int32_t>(tokens * k);
  carver.take<int32_t>(tokens * k);
  carver.take<ExpertRows>(n_experts);
  carver.take<ExpertRows>(n_experts);
  return carver.taken(nullptr);
}

ExpertStep::ExpertStep(const TensorView& ids, int64_t n_experts, std::byte* scratch) {
  const int64_t tokens = ids.rows(), k = ids.cols();
  Carver carver(scratch);
  const auto next = carver.take<int32_t>(n_experts);  // row of each expert
  slots_ = carver.take<int32_t>(tokens * k);
  tokens_ = carver.take<int32_t>(tokens * k);
  experts_ = carver.take<ExpertRows>(n_experts);
  heaviest_ = carver.take<ExpertRows>(n_experts);

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
