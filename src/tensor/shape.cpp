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
  for (int i = 1; i <= Shape::kMaxRank; ++i) {
    const int64_t in_a = i <= a.rank() ? a[a.rank() - i] : 1, in_b = i <= b.rank() ? b[b.rank() - i] : 1;
    if (in_a != in_b) return false;
  }
  return true;
}

}  // namespace skald
