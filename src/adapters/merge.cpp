#include "adapters/merge.h"

#include "adapters/low_rank_shapes.h"
#include "base/error.h"

namespace skald {
namespace {

constexpr int64_t kTile = 32;  // columns whose sums stay in registers

// (n, m) as (m, n).
std::vector<float> turned(const std::vector<float>& x, int64_t n, int64_t m) {
  std::vector<float> out(x.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) out[static_cast<size_t>(j * n + i)] = x[static_cast<size_t>(i * m + j)];
  return out;
}

void want_shapes(const LowRank& change, const Shape& weight, bool table) {
  if (weight.rank() >= 2) {
    const LowRankShapes want = LowRankShapes::of(weight, change.rank(), table);
    if (change.a.shape() == want.a && change.b.shape() == want.b) return;
  }
  fail(Errc::kBadFile, "lora_a is {} and lora_b {}: they do not fit {}", change.a.shape().to_string(),
       change.b.shape().to_string(), weight.to_string());
}

// w (kColumns) += b (rank) A (rank, columns of k).
template <int64_t kColumns>
void add_tile(const float* b, const float* a, int64_t rank, int64_t k, float* w) {
  float sums[kColumns] = {};
  for (int64_t r = 0; r < rank; ++r)
    for (int64_t j = 0; j < kColumns; ++j) sums[j] += b[r] * a[r * k + j];
  for (int64_t j = 0; j < kColumns; ++j) w[j] += sums[j];
}

}  // namespace

ChangeRows::ChangeRows(const LowRank& change, const Shape& weight, float scale, bool table) : rank_(change.rank()) {
  want_shapes(change, weight, table);
  n_ = weight[weight.rank() - 2];
  k_ = weight.back();
  left_ = table ? change.a.values() : change.b.values();
  right_ = table ? turned(change.b.values(), k_, rank_) : change.a.values();
  for (float& x : left_) x *= change.factor * scale;
}

void ChangeRows::add(int64_t row, float* w) const {
  const float *b = left_.data() + row * rank_, *a = right_.data() + row / n_ * rank_ * k_;
  int64_t j = 0;
  for (; j + kTile <= k_; j += kTile) add_tile<kTile>(b, a + j, rank_, k_, w + j);
  for (; j < k_; ++j) add_tile<1>(b, a + j, rank_, k_, w + j);
}

}  // namespace skald
