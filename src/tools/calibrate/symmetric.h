// Symmetric matrices (n, n) in double precision, row by row.
#pragma once

#include <cstdint>
#include <vector>

namespace skald {

/// Returns the lower triangle L with L L' = a, zeros above it. `a` must be positive definite.
std::vector<double> cholesky(const std::vector<double>& a, int64_t n);

struct Eigen {
  std::vector<double> values;   // (n), largest first
  std::vector<double> vectors;  // (n, n): row i belongs to value i
};

/// Finds them by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5).
Eigen eigen_of(std::vector<double> a, int64_t n);

}  // namespace skald
