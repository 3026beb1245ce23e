#include "tools/calibrate/symmetric.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace skald {
namespace {

constexpr int kMostSweeps = 60;

// Rows p and q of m (n, n) become c p - s q and s p + c q.
void rotate_rows(std::vector<double>& m, int64_t n, int64_t p, int64_t q, double c, double s) {
  double* const x = m.data() + p * n;
  double* const y = m.data() + q * n;
  for (int64_t i = 0; i < n; ++i) {
    const double a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = s * a + c * b;
  }
}

void rotate_columns(std::vector<double>& m, int64_t n, int64_t p, int64_t q, double c, double s) {
  for (double* row = m.data(); row != m.data() + n * n; row += n) {
    const double a = row[p], b = row[q];
    row[p] = c * a - s * b;
    row[q] = s * a + c * b;
  }
}

double beside_diagonal(const std::vector<double>& a, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) sum += a[static_cast<size_t>(i * n + j)] * a[static_cast<size_t>(i * n + j)];
  return sum;
}

double norm_of(const std::vector<double>& a) { return std::inner_product(a.begin(), a.end(), a.begin(), 0.0); }

}  // namespace

std::vector<double> cholesky(const std::vector<double>& a, int64_t n) {
  std::vector<double> out(a.size());
  const auto row = [&](int64_t i) { return out.data() + i * n; };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      const double left = a[static_cast<size_t>(i * n + j)] - std::inner_product(row(i), row(i) + j, row(j), 0.0);
      SKALD_ASSERT(i != j || left > 0);
      row(i)[j] = i == j ? std::sqrt(left) : left / row(j)[j];
    }
  return out;
}

Eigen eigen_of(std::vector<double> a, int64_t n) {
  constexpr double kNone = 1e-28;  // of the whole, squared
  std::vector<double> v(a.size());
  for (int64_t i = 0; i < n; ++i) v[static_cast<size_t>(i * n + i)] = 1;
  const double whole = norm_of(a);
  for (int sweep = 0; sweep < kMostSweeps && beside_diagonal(a, n) > kNone * whole; ++sweep)
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        const double off = a[static_cast<size_t>(p * n + q)];
        if (off == 0) continue;
        const double theta = (a[static_cast<size_t>(q * n + q)] - a[static_cast<size_t>(p * n + p)]) / (2 * off);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        rotate_rows(a, n, p, q, c, s);
        rotate_columns(a, n, p, q, c, s);
        rotate_rows(v, n, p, q, c, s);
      }
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](int64_t i) { return a[static_cast<size_t>(i * n + i)]; };
  std::ranges::stable_sort(order, std::greater<>(), value);
  Eigen out;
  for (const int64_t i : order) {
    out.values.push_back(value(i));
    out.vectors.insert(out.vectors.end(), v.begin() + i * n, v.begin() + (i + 1) * n);
  }
  return out;
}

}  // namespace skald
