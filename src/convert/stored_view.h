// StoredView: a source's elements in another order, as NumPy's views have them; and LazyTensor, rows of several such views.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "convert/stored_tensor.h"
#include "tensor/shape.h"

namespace skald {

/// A source that does not fit a shape is an Error (kBadFile) that names it.
class StoredView {
 public:
  static constexpr int kMaxRank = 6;

  /// `stored` must outlive the view. Throws kUnsupported for more than four dimensions.
  explicit StoredView(const StoredTensor& stored);

  const StoredTensor& stored() const { return *stored_; }
  int rank() const { return rank_; }
  int64_t dim(int axis) const { return dims_[static_cast<size_t>(axis)]; }
  int64_t cols() const { return rank_ ? dim(rank_ - 1) : 1; }
  int64_t rows() const;  // product of all dimensions but the last
  int64_t elements() const { return rows() * cols(); }
  /// Returns the dimensions, at most four; those of a single number are (1).
  Shape shape() const;

  /// Returns an axis as several, whose product it must be; one of them may be 0: the rest.
  StoredView split(int axis, std::initializer_list<int64_t> parts) const;
  StoredView swap(int a, int b) const;
  /// `count` of an axis, `step` apart, from the element `first`.
  StoredView take(int axis, int64_t first, int64_t count, int64_t step = 1) const;
  /// Returns the element `at` of an axis, which goes away.
  StoredView at(int axis, int64_t at) const;

  /// Returns the place of a row's first element in the source, counted in elements, and the distance between its elements.
  int64_t first_of(int64_t row) const;
  int64_t step() const { return rank_ ? strides_[static_cast<size_t>(rank_ - 1)] : 1; }

  /// Tells whether the elements lie one after the other, from the source's first one on.
  bool is_whole() const;
  void read_row(int64_t row, float* out) const;
  /// In the bytes of the source's format.
  void copy_row(int64_t row, std::byte* out) const;
  /// Returns whether rows can be copied in the bytes of the source's format.
  bool copyable() const;

 private:
  void check_axis(int axis) const;
  std::string dims_text() const;

  const StoredTensor* stored_;
  int64_t first_ = 0;
  int rank_ = 0;
  std::array<int64_t, kMaxRank> dims_{}, strides_{};
};

/// A factor of the elements of some rows.
struct RowFactor {
  int64_t rows;
  float factor;
};

/// A tensor whose elements are made when they are wanted: those of the parts, one part after the other.
struct LazyTensor {
  Shape shape;
  std::vector<StoredView> parts;
  float (*function)(float) = nullptr;  // of each element; none: as it is
  std::vector<float> factors = {};     // of each part's elements, after the function; empty: 1

  /// Returns a view as it is.
  static LazyTensor of(const StoredView& view) { return {view.shape(), {view}}; }
  /// The same elements as a tensor of another shape; throws kBadFile where there are not as many.
  LazyTensor seen_as(const Shape& other) const;

  /// Returns the format whose bytes all parts have; nullptr where elements must be computed.
  const Format* format() const;

  /// Rows of a part that make one row of the tensor, where these are cut into several; else 1.
  int64_t rows_of_part(size_t part) const;
  /// `rows_of_part` rows of a part as floats, from its row `row` on.
  void read(size_t part, int64_t row, float* out) const;

  /// Multiplies all elements; or rows, in order, each run of them by its own factor. Throws kBadFile where the runs are not
  /// the tensor's rows.
  void multiply(float factor);
  void multiply(std::span<const RowFactor> runs);
};

}  // namespace skald
