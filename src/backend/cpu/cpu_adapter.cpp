#include "backend/cpu/cpu_adapter.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace skald {
namespace {

// A matrix (n, rank) as tiles; zeros follow the last column.
void lay_in_tiles(const std::byte* rows, int64_t n, int64_t rank, int64_t element, std::byte* out) {
  for (int64_t i = 0; i < n; ++i) {
    std::byte* const column = out + (i / kLowRankTile * rank * kLowRankTile + i % kLowRankTile) * element;
    for (int64_t j = 0; j < rank; ++j)
      std::memcpy(column + j * kLowRankTile * element, rows + (i * rank + j) * element, static_cast<size_t>(element));
  }
}

int64_t tiles_of(const Shape& b) { return ceil_div(b[b.rank() - 2], kLowRankTile); }

int64_t matrices_of_change(const Shape& b) { return b.rank() == 3 ? b[0] : 1; }

int64_t whole_lines(int64_t bytes) { return round_up(bytes, 64); }

}  // namespace

int64_t CpuLowRank::bytes_of(const LowRank& change) {
  const Shape& b = change.b.shape();
  const int64_t tiles = matrices_of_change(b) * tiles_of(b) * kLowRankTile * change.rank();
  return whole_lines(change.a.desc().bytes()) + whole_lines(change.b.desc().format->bytes(tiles));
}

CpuLowRank::CpuLowRank(const LowRank& change, std::byte* memory)
    : a_{.data = memory, .desc = change.a.desc()},
      b_format_(change.b.desc().format),
      factor_(change.factor),
      rank_(change.rank()),
      tiles_in_matrix_(tiles_of(change.b.shape())),
      tiles_(memory + whole_lines(change.a.desc().bytes())) {
  std::memcpy(memory, change.a.data(), change.a.bytes().size());
  const Shape& b = change.b.shape();
  const int64_t matrices = matrices_of_change(b), n = b.rows() / matrices, element = b_format_->block_bytes;
  for (int64_t m = 0; m < matrices; ++m)
    lay_in_tiles(change.b.data() + m * n * rank_ * element, n, rank_, element, tiles_ + m * tiles_in_matrix_ * tile_bytes());
}

TensorView CpuLowRank::a(int64_t matrix) const {
  TensorView out = a_;
  const Shape& shape = a_.shape();
  if (shape.rank() < 3) return out;
  out.desc.shape = Shape{shape[1], shape[2]};
  out.data += matrix * out.desc.bytes();
  return out;
}

CpuAdapter::CpuAdapter(const Adapter& adapter, SiteNumbers& numbers) {
  int64_t bytes = 0;
  for (const auto& [name, change] : adapter.changes) bytes += CpuLowRank::bytes_of(change);
  memory_ = Buffer(bytes);
  std::byte* at = memory_.data();
  for (const auto& [name, change] : adapter.changes) {
    const auto site = static_cast<size_t>(numbers.of(name));
    changes_.resize(std::max(changes_.size(), site + 1));
    changes_[site] = std::make_unique<const CpuLowRank>(change, at);
    at += CpuLowRank::bytes_of(change);
  }
}

}  // namespace skald
