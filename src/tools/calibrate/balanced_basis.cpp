#include "tools/calibrate/balanced_basis.h"

#include <algorithm>
#include <cmath>

#include "tools/calibrate/symmetric.h"

namespace skald {
namespace {

// Parts of the largest: of the variance that a direction has at least, and of the size that a component counts with. Then
// the part of the mean square that differences of sums may be wrong by.
constexpr double kLeastVariance = 1e-6, kLeastComponent = 1e-4, kRounding = 1e-12;

double largest_on_diagonal(const std::vector<double>& s, int64_t d) {
  double largest = 0;
  for (int64_t i = 0; i < d; ++i) largest = std::max(largest, s[static_cast<size_t>(i * d + i)]);
  return largest;
}

// A positive definite matrix like the second moments.
std::vector<double> regular(const Moments& moments, bool around_mean) {
  const int64_t d = moments.d, n = moments.n;
  std::vector<double> s = moments.second(around_mean);
  const auto at = [&](int64_t i, int64_t j) -> double& { return s[static_cast<size_t>(i * d + j)]; };
  const double largest = largest_on_diagonal(s, d);
  const double least = kLeastVariance * largest + kRounding * largest_on_diagonal(moments.second(false), d);
  const double correlated = static_cast<double>(n) / static_cast<double>(n + d);
  for (int64_t i = 0; i < d; ++i)
    for (int64_t j = 0; j < d; ++j)
      if (least == 0)
        at(i, j) = i == j;
      else if (i != j)
        at(i, j) *= correlated;
      else
        at(i, i) += least;
  return s;
}

// x y, of (d, d) each.
std::vector<double> product(const std::vector<double>& x, const std::vector<double>& y, int64_t d) {
  std::vector<double> out(x.size());
  for (int64_t i = 0; i < d; ++i)
    for (int64_t k = 0; k < d; ++k) {
      const double by = x[static_cast<size_t>(i * d + k)];
      for (int64_t j = 0; j < d; ++j) out[static_cast<size_t>(i * d + j)] += by * y[static_cast<size_t>(k * d + j)];
    }
  return out;
}

std::vector<double> transposed(const std::vector<double>& x, int64_t d) {
  std::vector<double> out(x.size());
  for (int64_t i = 0; i < d; ++i)
    for (int64_t j = 0; j < d; ++j) out[static_cast<size_t>(j * d + i)] = x[static_cast<size_t>(i * d + j)];
  return out;
}

// x L^-1 for a row x: from the last component on.
void divide_row(double* x, const std::vector<double>& lower, int64_t d) {
  for (int64_t j = d - 1; j >= 0; --j) {
    for (int64_t i = j + 1; i < d; ++i) x[j] -= x[i] * lower[static_cast<size_t>(i * d + j)];
    x[j] /= lower[static_cast<size_t>(j * d + j)];
  }
}

}  // namespace

std::vector<double> Moments::second(bool around_mean) const {
  std::vector<double> out(products.size());
  if (n == 0) return out;
  const auto count = static_cast<double>(n);
  const auto mean = [&](int64_t i) { return around_mean ? sums[static_cast<size_t>(i)] / count : 0.0; };
  for (int64_t i = 0; i < d; ++i)
    for (int64_t j = i; j < d; ++j)
      out[static_cast<size_t>(i * d + j)] = out[static_cast<size_t>(j * d + i)] =
          products[static_cast<size_t>(i * d + j)] / count - mean(i) * mean(j);
  for (int64_t i = 0; i < d; ++i) out[static_cast<size_t>(i * d + i)] = std::max(out[static_cast<size_t>(i * d + i)], 0.0);
  return out;
}

// With S_k = L L' and L' S_q L = V diag(s²) V', keys turn by diag(s^1/2) V' L^-1 and queries by diag(s^-1/2) V' L': both
// then have the covariance diag(s).
BalancedBasis balanced_basis(const Moments& keys, const Moments& queries) {
  const int64_t d = keys.d;
  const std::vector<double> lower = cholesky(regular(keys, true), d), upper = transposed(lower, d);
  const std::vector<double> s_q = regular(queries, false);
  const Eigen eigen = eigen_of(product(product(upper, s_q, d), lower, d), d);
  const auto size = [&](int64_t c) { return std::sqrt(std::max(eigen.values[static_cast<size_t>(c)], 0.0)); };
  std::vector<double> k = eigen.vectors, q = product(eigen.vectors, upper, d);
  BalancedBasis out{std::vector<float>(k.size()), std::vector<float>(q.size())};
  for (int64_t c = 0; c < d; ++c) {
    divide_row(k.data() + c * d, lower, d);
    const double factor = std::sqrt(std::max(size(c), kLeastComponent * size(0)));
    for (int64_t i = c * d; i < (c + 1) * d; ++i) {
      out.keys[static_cast<size_t>(i)] = static_cast<float>(k[static_cast<size_t>(i)] * factor);
      out.queries[static_cast<size_t>(i)] = static_cast<float>(q[static_cast<size_t>(i)] / factor);
    }
  }
  return out;
}

}  // namespace skald
