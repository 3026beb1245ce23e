#include "convert/module_change.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

// Elements on a line of a weight, which is a row or a column: `n` of them, `step` apart.
struct Places {
  int64_t first, step, n;
  bool operator==(const Places&) const = default;
};

// A row of the tensor: the line of a weight that it lies on, and its elements there, in order.
struct TensorRow {
  const StoredTensor* weight = nullptr;
  bool is_column = false;
  int64_t line = 0;
  std::vector<Places> places;

  bool beside(const TensorRow& other) const {
    return weight == other.weight && is_column == other.is_column && places == other.places;
  }
};

[[noreturn]] void refuse(const StoredTensor& weight, const std::string& tensor, const char* why) {
  fail(Errc::kUnsupported, "{}: an adapter cannot change it, as tensor {} {}", printable(weight.name), tensor, why);
}

// All rows of a tensor as lines of weights.
class TensorRows {
 public:
  TensorRows(const std::string& name, const LazyTensor& data) : name_(name), data_(data) {
    for (size_t part = 0; part < data.parts.size(); ++part) {
      const int64_t pieces = data.rows_of_part(part), n = data.parts[part].rows() / pieces;
      for (int64_t i = 0; i < n; ++i) rows_.push_back(row(data.parts[part], i * pieces, pieces));
    }
  }

  int64_t size() const { return std::ssize(rows_); }
  const TensorRow& operator[](int64_t i) const { return rows_[static_cast<size_t>(i)]; }

 private:
  TensorRow row(const StoredView& view, int64_t first, int64_t n) const {
    TensorRow out;
    out.weight = &view.stored();
    const int64_t cols = view.stored().cols();
    std::vector<Places> runs;  // in all of the weight
    for (int64_t i = first; i < first + n; ++i) runs.push_back({view.first_of(i), view.step(), view.cols()});
    const auto one_line = [&](auto line_of, auto is_inside) {
      out.line = line_of(runs.front());
      return std::ranges::all_of(runs, [&](const Places& p) { return line_of(p) == out.line && is_inside(p); });
    };
    const auto on_row = [&](const Places& p) { return p.first % cols + (p.n - 1) * p.step < cols; };
    const auto on_column = [&](const Places& p) { return p.n == 1 || p.step % cols == 0; };
    if (one_line([&](const Places& p) { return p.first / cols; }, on_row)) {
      for (const Places& p : runs) out.places.push_back({p.first % cols, p.step, p.n});
    } else if (one_line([&](const Places& p) { return p.first % cols; }, on_column)) {
      out.is_column = true;
      for (const Places& p : runs) out.places.push_back({p.first / cols, p.step / cols, p.n});
    } else {
      refuse(view.stored(), name_, "has rows that are on no line of it");
    }
    return out;
  }

  const std::string& name_;
  const LazyTensor& data_;
  std::vector<TensorRow> rows_;
};

// A matrix of the tensor: n rows that hold the same places of different lines.
class TensorMatrix {
 public:
  TensorMatrix(const std::string& name, const TensorRows& rows, int64_t first, int64_t n, const ChangeOf& change_of)
      : rows_(rows), first_(first), n_(n), change_(change_of(*rows[first].weight)) {
    for (int64_t i = first; i < first + n; ++i)
      if (!rows[i].beside(rows[first])) refuse(*rows[i].weight, name, "mixes its rows and columns");
  }

  const ModuleChange& change() const { return change_; }

  void add_left(std::vector<float>& out) const {  // (n, rank)
    const std::vector<float>& from = is_column() ? change_.right : change_.left;
    for (int64_t i = first_; i < first_ + n_; ++i) append(from, rows_[i].line, out);
  }
  void add_right(std::vector<float>& out) const {  // (columns, rank)
    const std::vector<float>& from = is_column() ? change_.left : change_.right;
    for (const Places& p : rows_[first_].places)
      for (int64_t i = 0; i < p.n; ++i) append(from, p.first + i * p.step, out);
  }

 private:
  bool is_column() const { return rows_[first_].is_column; }
  void append(const std::vector<float>& from, int64_t line, std::vector<float>& out) const {
    const auto begin = from.begin() + line * change_.rank;
    out.insert(out.end(), begin, begin + change_.rank);
  }

  const TensorRows& rows_;
  int64_t first_, n_;
  const ModuleChange& change_;
};

// (slices, n, rank) as (slices, rank, n).
std::vector<float> transpose_each(const std::vector<float>& x, int64_t n, int64_t rank) {
  std::vector<float> out(x.size());
  const size_t each = static_cast<size_t>(n * rank);
  for (size_t slice = 0; slice < x.size(); slice += each)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t r = 0; r < rank; ++r)
        out[slice + static_cast<size_t>(r * n + i)] = x[slice + static_cast<size_t>(i * rank + r)];
  return out;
}

Shape shape_of(const Shape& tensor, int64_t rows, int64_t cols) {
  return tensor.rank() == 3 ? Shape{tensor[0], rows, cols} : Shape{rows, cols};
}

void want_alike(const ModuleChange& a, const ModuleChange& b) {
  if (a.rank != b.rank || a.factor != b.factor)
    fail(Errc::kUnsupported, "{} has rank {} and factor {}, {} has {} and {}: they go into one tensor and must be alike",
         printable(a.module), a.rank, a.factor, printable(b.module), b.rank, b.factor);
}

}  // namespace

StoredTensor ModuleChange::weight() const {
  return {.name = module + ".weight", .element = Element::kF32, .shape = {rows, cols}, .data = {}};
}

ModuleChange ModuleChange::transposed() const {
  ModuleChange out = *this;
  std::swap(out.rows, out.cols);
  std::swap(out.left, out.right);
  return out;
}

LowRank change_of_tensor(const std::string& name, const LazyTensor& data, const ChangeOf& change_of) {
  const Shape& shape = data.shape;
  const StoredTensor& any = data.parts.front().stored();
  if (shape.rank() != 2 && shape.rank() != 3) refuse(any, name, "is no matrix");
  if (data.function || !data.factors.empty()) refuse(any, name, "has other values");
  const TensorRows rows(name, data);
  const int64_t slices = shape.rank() == 3 ? shape[0] : 1, n = shape[shape.rank() - 2], cols = shape.back();
  SKALD_ASSERT(rows.size() == slices * n);
  std::vector<float> left, right;
  const ModuleChange& first = change_of(*rows[0].weight);
  for (int64_t i = 0; i < slices; ++i) {
    const TensorMatrix slice(name, rows, i * n, n, change_of);
    want_alike(first, slice.change());
    slice.add_left(left);
    slice.add_right(right);
  }
  const int64_t rank = first.rank;
  const bool is_table = name.ends_with("token_embd.weight");
  if (first.is_table && !is_table) refuse(any, name, "is no table of tokens");
  // A table has its factors the other way round.
  if (is_table)
    return {.a = {name, left, shape_of(shape, n, rank)},
            .b = {name, right, shape_of(shape, cols, rank)},
            .factor = first.factor};
  return {.a = {name, transpose_each(right, cols, rank), shape_of(shape, rank, cols)},
          .b = {name, left, shape_of(shape, n, rank)},
          .factor = first.factor};
}

}  // namespace skald
