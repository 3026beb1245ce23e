#include "graph/weight_slice.h"

#include "base/error.h"

namespace skald {
namespace {

Slices all_of(const TensorDesc& whole, const std::vector<Slices>& parts, int dimension) {
  const Slices& own = parts[static_cast<size_t>(dimension)];
  return own.empty() ? Slices{{0, whole.shape[dimension]}} : own;
}

// Pieces that touch are one.
void add_piece(std::vector<Slice>& to, Slice piece) {
  if (!to.empty() && to.back().end() == piece.first)
    to.back().n += piece.n;
  else
    to.push_back(piece);
}

}  // namespace

TensorDesc WeightSlice::desc() const {
  TensorDesc out = whole;
  for (int d = 0; d < whole.shape.rank(); ++d) out.shape[d] = size_of(all_of(whole, parts, d));
  return out;
}

std::string WeightSlice::name() const {
  std::string out = of;
  for (const Slices& own : parts) {
    out += '[';
    for (const Slice& p : own) out += fmt::format("{}{}+{}", &p == own.data() ? "" : ",", p.first, p.n);
    out += ']';
  }
  return out;
}

std::vector<Slice> WeightSlice::pieces() const {
  const Shape& shape = whole.shape;
  const int last = shape.rank() - 1;
  std::vector<Slice> rows = {{0, 1}};  // of the dimensions so far, in elements of these
  for (int d = 0; d < last; ++d) {
    std::vector<Slice> next;
    for (const Slice& outer : rows)
      for (int64_t i = outer.first; i < outer.end(); ++i)
        for (const Slice& own : all_of(whole, parts, d)) add_piece(next, {i * shape[d] + own.first, own.n});
    rows = std::move(next);
  }
  const Slices columns = all_of(whole, parts, last);
  const bool all = columns == Slices{{0, shape[last]}};
  const auto bytes = [&](int64_t elements) { return whole.format->bytes(elements); };
  std::vector<Slice> out;
  for (const Slice& part : rows) {
    if (all) add_piece(out, {bytes(part.first * shape[last]), bytes(part.n * shape[last])});
    for (int64_t row = part.first; !all && row < part.end(); ++row)
      for (const Slice& own : columns) add_piece(out, {bytes(row * shape[last] + own.first), bytes(own.n)});
  }
  return out;
}

}  // namespace skald
