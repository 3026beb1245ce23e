// Factors and eigenvectors of symmetric matrices.
#include "tools/calibrate/symmetric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace skald {
namespace {

using Matrix = std::vector<double>;

Matrix times_transpose(const Matrix& a, const Matrix& b, int64_t n) {
  Matrix out(a.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        out[static_cast<size_t>(i * n + j)] += a[static_cast<size_t>(i * n + k)] * b[static_cast<size_t>(j * n + k)];
  return out;
}

// x x' of made-up numbers, which has no negative eigenvalue.
Matrix made_up(int64_t n) {
  Matrix x(static_cast<size_t>(n * n));
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i * i + 1));
  return times_transpose(x, x, n);
}

void expect_near(const Matrix& got, const Matrix& want, double error) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], error) << i;
}

TEST(Cholesky, IsTheKnownTriangle) {
  expect_near(cholesky({4, 12, -16, 12, 37, -43, -16, -43, 98}, 3), {2, 0, 0, 6, 1, 0, -8, 5, 3}, 1e-12);
}

TEST(Cholesky, MakesTheMatrixAgain) {
  const Matrix a = made_up(40), lower = cholesky(a, 40);
  expect_near(times_transpose(lower, lower, 40), a, 1e-10);
}

TEST(Eigenvectors, OfAKnownMatrix) {
  const Eigen e = eigen_of({2, 1, 1, 2}, 2);
  expect_near(e.values, {3, 1}, 1e-14);
  EXPECT_NEAR(std::abs(e.vectors[0]), std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(e.vectors[0], e.vectors[1], 1e-14);
}

TEST(Eigenvectors, OfADiagonalMatrixComeInOrder) {
  const Eigen e = eigen_of({1, 0, 0, 0, 7, 0, 0, 0, 3}, 3);
  expect_near(e.values, {7, 3, 1}, 0);
  expect_near(e.vectors, {0, 1, 0, 0, 0, 1, 1, 0, 0}, 0);
}

TEST(Eigenvectors, OfAMatrixOfZerosAreItsAxes) {
  const Eigen e = eigen_of({0, 0, 0, 0}, 2);
  expect_near(e.values, {0, 0}, 0);
  expect_near(e.vectors, {1, 0, 0, 1}, 0);
}

TEST(Eigenvectors, MakeTheMatrixAgainAndAreOrthonormal) {
  constexpr int64_t kN = 64;
  const Matrix a = made_up(kN);
  const Eigen e = eigen_of(a, kN);
  Matrix columns(a.size()), scaled(a.size()), unit(a.size());
  for (int64_t i = 0; i < kN; ++i) {
    unit[static_cast<size_t>(i * kN + i)] = 1;
    for (int64_t j = 0; j < kN; ++j) {
      columns[static_cast<size_t>(j * kN + i)] = e.vectors[static_cast<size_t>(i * kN + j)];
      scaled[static_cast<size_t>(j * kN + i)] = columns[static_cast<size_t>(j * kN + i)] * e.values[static_cast<size_t>(i)];
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(e.values, std::greater<>()));
  expect_near(times_transpose(e.vectors, e.vectors, kN), unit, 1e-12);
  expect_near(times_transpose(scaled, columns, kN), a, 1e-9);
}

}  // namespace
}  // namespace skald
