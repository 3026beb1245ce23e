// Shape: up to four dimensions, row-major, the last one contiguous.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace skald {

class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims);
  /// Rank 1 to 4 from an array; throws kBadInput for another rank or a negative dimension.
  Shape(const int64_t* dims, int rank);

  int rank() const { return rank_; }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }
  int64_t back() const { return rank_ ? dims_[rank_ - 1] : 1; }
  /// Product of all dimensions but the last.
  int64_t rows() const;
  int64_t elements() const;
  std::string to_string() const;  // "(4096, 1024)"
  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

/// Whether the shapes are the same without dimensions of 1, which some writers add.
bool same_but_for_ones(const Shape& a, const Shape& b);

}  // namespace skald
