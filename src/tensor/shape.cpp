#include "tensor/shape.h"

#include "base/error.h"

namespace skald {

Shape::Shape(std::initializer_list<int64_t> dims) : Shape(dims.begin(), static_cast<int>(dims.size())) {}

Shape::Shape(const int64_t* dims, int rank) : rank_(rank) {
  if (rank < 0 || rank > kMaxRank)
    fail(Errc::kBadInput, "a tensor has {} dimensions; 0 to {} are supported", rank, kMaxRank);
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0) fail(Errc::kBadInput, "a tensor has a negative dimension: {}", dims[i]);
    dims_[i] = dims[i];
  }
}

int64_t Shape::rows() const {
  int64_t n = 1;
  for (int i = 0; i + 1 < rank_; ++i) n *= dims_[i];
  return n;
}

int64_t Shape::elements() const { return rows() * back(); }

std::string Shape::to_string() const {
  std::string s = "(";
  for (int i = 0; i < rank_; ++i) s += (i ? ", " : "") + std::to_string(dims_[i]);
  return s + ")";
}

bool same_but_for_ones(const Shape& a, const Shape& b) {
  // The next dimension that is not 1, or the rank.
  const auto next = [](const Shape& s, int i) {
    while (i < s.rank() && s[i] == 1) ++i;
    return i;
  };
  int i = next(a, 0), j = next(b, 0);
  for (; i < a.rank() && j < b.rank(); i = next(a, i + 1), j = next(b, j + 1))
    if (a[i] != b[j]) return false;
  return i == a.rank() && j == b.rank();
}

}  // namespace skald
