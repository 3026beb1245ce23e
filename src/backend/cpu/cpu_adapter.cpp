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

}  // namespace

CpuLowRank::CpuLowRank(const LowRank& change)
    : a_{.data = const_cast<std::byte*>(change.a.data()), .desc = change.a.desc()},  // which is only read
      b_format_(change.b.desc().format),
      factor_(change.factor),
      rank_(change.rank()) {
  const Shape& b = change.b.shape();
  const int64_t matrices = b.rank() == 3 ? b[0] : 1, n = b.rows() / matrices, element = b_format_->block_bytes;
  tiles_in_matrix_ = ceil_div(n, kLowRankTile);
  tiles_ = Buffer(matrices * tiles_in_matrix_ * tile_bytes());
  for (int64_t m = 0; m < matrices; ++m)
    lay_in_tiles(change.b.data() + m * n * rank_ * element, n, rank_, element,
                 tiles_.data() + m * tiles_in_matrix_ * tile_bytes());
}

TensorView CpuLowRank::a(int64_t matrix) const {
  TensorView out = a_;
  const Shape& shape = a_.shape();
  if (shape.rank() < 3) return out;
  out.desc.shape = Shape{shape[1], shape[2]};
  out.data += matrix * out.desc.bytes();
  return out;
}

CpuAdapter::CpuAdapter(std::shared_ptr<const Adapter> adapter, SiteNumbers& numbers) : adapter_(std::move(adapter)) {
  for (const auto& [name, change] : adapter_->changes) {
    const auto site = static_cast<size_t>(numbers.of(name));
    changes_.resize(std::max(changes_.size(), site + 1));
    changes_[site] = std::make_unique<const CpuLowRank>(change);
  }
}

int64_t CpuAdapter::bytes() const {
  int64_t sum = 0;
  for (const auto& change : changes_)
    if (change) sum += change->bytes();
  return sum;
}

}  // namespace skald
