// The basis in which few components tell most of a score.
#pragma once

#include <cstdint>
#include <vector>

namespace skald {

/// Sums over n vectors x of d numbers: of x, and of the products of two components.
struct Moments {
  explicit Moments(int64_t d) : d(d), sums(static_cast<size_t>(d)), products(static_cast<size_t>(d * d)) {}

  int64_t d, n = 0;
  std::vector<double> sums, products;  // (d); (d, d), of which j >= i counts

  /// Returns the second moments around the mean, or around 0: (d, d), symmetric.
  std::vector<double> second(bool around_mean) const;
};

/// Matrices (d, d) with a component in each row. The transpose of one is the inverse of the other.
struct BalancedBasis {
  std::vector<float> keys, queries;
};

/// Returns the basis in which components of keys and of queries are uncorrelated, and both equally large: the singular
/// vectors of S_q^1/2 S_k^1/2, as balanced truncation takes them (Moore, IEEE TAC 26, 1981). Components come in the order of
/// the part that they have in the scores. Few vectors count as if components were less correlated, and directions that no
/// vector has as if some had them a little, so that the numbers stay small.
BalancedBasis balanced_basis(const Moments& keys, const Moments& queries);

}  // namespace skald
