#include "convert/stored_view.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/checked.h"
#include "base/error.h"
#include "io/printable.h"

namespace skald {

StoredView::StoredView(const StoredTensor& stored) : stored_(&stored), rank_(static_cast<int>(stored.shape.size())) {
  if (rank_ > Shape::kMaxRank)
    fail(Errc::kUnsupported, "tensor {}: {} dimensions, want at most {}", printable(stored.name), rank_, Shape::kMaxRank);
  int64_t stride = 1;
  for (int i = rank_ - 1; i >= 0; --i) {
    dims_[static_cast<size_t>(i)] = stored.shape[static_cast<size_t>(i)];
    strides_[static_cast<size_t>(i)] = stride;
    stride *= dim(i);
  }
}

int64_t StoredView::rows() const {
  int64_t n = 1;
  for (int i = 0; i + 1 < rank_; ++i) n *= dim(i);
  return n;
}

Shape StoredView::shape() const {
  if (rank_ == 0) return Shape{1};
  return {dims_.data(), rank_};
}

std::string StoredView::dims_text() const {
  return fmt::format("({})", fmt::join(std::span(dims_).first(static_cast<size_t>(rank_)), ", "));
}

void StoredView::check_axis(int axis) const {
  if (axis < 0 || axis >= rank_)
    fail(Errc::kBadFile, "tensor {}: {} has no dimension {}", printable(stored_->name), dims_text(), axis);
}

StoredView StoredView::split(int axis, std::initializer_list<int64_t> parts) const {
  check_axis(axis);
  SKALD_ASSERT(rank_ + static_cast<int>(parts.size()) - 1 <= kMaxRank);
  int64_t known = 1;
  for (const int64_t n : parts)
    if (n) known = checked_mul(known, n).value_or(0);
  const bool open = std::ranges::count(parts, 0) == 1;
  if (known == 0 || dim(axis) % known || (!open && dim(axis) != known))
    fail(Errc::kBadFile, "tensor {}: dimension {} of {} does not divide into {}", printable(stored_->name), axis,
         dims_text(), fmt::join(parts, " x "));
  StoredView out = *this;
  out.rank_ = rank_ + static_cast<int>(parts.size()) - 1;
  const auto shift = static_cast<size_t>(out.rank_ - rank_), from = static_cast<size_t>(axis);
  for (size_t i = static_cast<size_t>(rank_) - 1; i > from; --i) {
    out.dims_[i + shift] = dims_[i];
    out.strides_[i + shift] = strides_[i];
  }
  int64_t stride = strides_[from];
  for (size_t i = parts.size(); i-- > 0;) {
    const int64_t n = parts.begin()[i] ? parts.begin()[i] : dim(axis) / known;
    out.dims_[from + i] = n;
    out.strides_[from + i] = stride;
    stride *= n;
  }
  return out;
}

StoredView StoredView::swap(int a, int b) const {
  check_axis(a);
  check_axis(b);
  StoredView out = *this;
  std::swap(out.dims_[static_cast<size_t>(a)], out.dims_[static_cast<size_t>(b)]);
  std::swap(out.strides_[static_cast<size_t>(a)], out.strides_[static_cast<size_t>(b)]);
  return out;
}

StoredView StoredView::take(int axis, int64_t first, int64_t count, int64_t step) const {
  check_axis(axis);
  if (first < 0 || count < 1 || step < 1 || first >= dim(axis) || count - 1 > (dim(axis) - 1 - first) / step)
    fail(Errc::kBadFile, "tensor {}: dimension {} of {} has no elements {} to {}", printable(stored_->name), axis,
         dims_text(), first, first + (count - 1) * step);
  StoredView out = *this;
  const auto i = static_cast<size_t>(axis);
  out.first_ += first * strides_[i];
  out.dims_[i] = count;
  out.strides_[i] *= step;
  return out;
}

StoredView StoredView::at(int axis, int64_t at) const {
  StoredView out = take(axis, at, 1);
  for (auto i = static_cast<size_t>(axis); i + 1 < static_cast<size_t>(rank_); ++i) {
    out.dims_[i] = out.dims_[i + 1];
    out.strides_[i] = out.strides_[i + 1];
  }
  --out.rank_;
  return out;
}

bool StoredView::is_whole() const {
  int64_t stride = 1;
  for (int i = rank_ - 1; i >= 0; --i) {
    if (dim(i) > 1 && strides_[static_cast<size_t>(i)] != stride) return false;
    stride *= dim(i);
  }
  return first_ == 0;
}

int64_t StoredView::first_of(int64_t row) const {
  int64_t at = first_;
  for (int i = rank_ - 2; i >= 0; --i) {
    at += row % dim(i) * strides_[static_cast<size_t>(i)];
    row /= dim(i);
  }
  return at;
}

void StoredView::read_row(int64_t row, float* out) const { stored_->read(first_of(row), step(), cols(), out); }

void StoredView::copy_row(int64_t row, std::byte* out) const { stored_->copy(first_of(row), step(), cols(), out); }

bool StoredView::copyable() const {
  const Format* format = stored_->format();
  if (!format || format->block == 1) return format != nullptr;
  if (rank_ == 0 || step() != 1) return false;
  // Rows must begin at blocks and be made of them.
  bool whole = first_ % format->block == 0 && cols() % format->block == 0;
  for (int i = 0; i + 1 < rank_; ++i) whole = whole && strides_[static_cast<size_t>(i)] % format->block == 0;
  return whole;
}

LazyTensor LazyTensor::seen_as(const Shape& other) const {
  if (other.elements() != shape.elements())
    fail(Errc::kBadFile, "tensor {}: {} cannot be seen as {}", printable(parts.front().stored().name), shape.to_string(),
         other.to_string());
  LazyTensor out = *this;
  out.shape = other;
  return out;
}

const Format* LazyTensor::format() const {
  const Format* format = parts.front().stored().format();
  if (function || !factors.empty()) return nullptr;
  for (const StoredView& part : parts)
    if (part.stored().format() != format || !part.copyable()) return nullptr;
  return format;
}

int64_t LazyTensor::rows_of_part(size_t part) const {
  const int64_t whole = shape.back(), cols = parts[part].cols();
  return whole % cols == 0 && parts[part].elements() % whole == 0 ? whole / cols : 1;
}

void LazyTensor::read(size_t part, int64_t row, float* out) const {
  const StoredView& view = parts[part];
  const int64_t rows = rows_of_part(part), n = rows * view.cols();
  for (int64_t i = 0; i < rows; ++i) view.read_row(row + i, out + i * view.cols());
  if (function) std::transform(out, out + n, out, function);
  if (factors.empty()) return;
  for (int64_t i = 0; i < n; ++i) out[i] *= factors[part];
}

void LazyTensor::multiply(float factor) {
  if (factors.empty()) factors.assign(parts.size(), 1.0f);
  for (float& f : factors) f *= factor;
}

void LazyTensor::multiply(std::span<const RowFactor> runs) {
  int64_t rows = 0;
  for (const RowFactor& run : runs) rows += run.rows;
  SKALD_ASSERT(parts.size() == 1);
  const StoredView whole = parts.front();
  if (whole.rank() == 0 || rows != whole.dim(0))
    fail(Errc::kBadFile, "tensor {}: want {} rows, file has {}", printable(whole.stored().name), rows, shape.to_string());
  const float before = factors.empty() ? 1.0f : factors.front();
  parts.clear();
  factors.clear();
  int64_t first = 0;
  for (const RowFactor& run : runs) {
    parts.push_back(whole.take(0, first, run.rows));
    factors.push_back(before * run.factor);
    first += run.rows;
  }
}

}  // namespace skald
