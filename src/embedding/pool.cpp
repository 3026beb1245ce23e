#include "embedding/pool.h"

#include <algorithm>
#include <cmath>

namespace skald {

int64_t Pool::outputs(int64_t rows, bool ends) const {
  switch (pooling_) {
    case Pooling::kLast:
      return ends ? 1 : 0;
    case Pooling::kCls:
      return tokens_ == 0 ? rows : 0;
    default:
      return rows;
  }
}

void Pool::add(const Logits& states, int64_t first, int64_t n) {
  if (pooling_ == Pooling::kNone) {
    all_.reserve(all_.size() + static_cast<size_t>(n * states.cols()));
    for (int64_t i = first; i < first + n; ++i) all_.insert(all_.end(), states.row(i).begin(), states.row(i).end());
  } else if (n > 0) {
    const int64_t rows = pooling_ == Pooling::kMean ? n : 1;
    for (int64_t i = first; i < first + rows; ++i)
      std::transform(values_.begin(), values_.end(), states.row(i).begin(), values_.begin(),
                     [](double sum, float x) { return sum + static_cast<double>(x); });
  }
  tokens_ += n;
}

std::vector<float> Pool::take() {
  if (pooling_ == Pooling::kNone) return std::move(all_);
  const double share = pooling_ == Pooling::kMean ? 1.0 / static_cast<double>(tokens_) : 1.0;
  std::vector<float> out;
  out.reserve(values_.size());
  for (const double x : values_) out.push_back(static_cast<float>(x * share));
  return out;
}

void normalise(std::span<float> x) {
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
  if (sum <= 0) return;
  const double share = 1 / std::sqrt(sum);
  for (float& v : x) v = static_cast<float>(static_cast<double>(v) * share);
}

}  // namespace skald
