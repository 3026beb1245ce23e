#include "backend/cpu/low_rank.h"

#include "backend/cpu/cpu_op.h"
#include "backend/cpu/matmul.h"
#include "base/error.h"
#include "base/processor.h"

namespace skald {
namespace {

constexpr int64_t kRowsTogether = 64;  // of a piece: its share is one thread's work
constexpr int64_t kRanksTogether = 64;

}  // namespace

float* LowRankMemory::floats(int64_t n) {
  if (const auto bytes = n * static_cast<int64_t>(sizeof(float)); z.size() < bytes) z = Buffer(2 * bytes);
  return z.as<float>();
}

const CpuLowRank* change_of(const NodeAdapters& node, const AdaptedRows& rows, size_t input) {
  return static_cast<const CpuAdapter*>(rows.adapter)->at(node.sites[input]);
}

LowRankPass::LowRankPass(const CpuContext& cx)
    : kernels_(cx.kernels), node_(cx.adapters), memory_(node_ ? node_->memory : nullptr) {
  if (memory_) memory_->pieces.clear();
}

void LowRankPass::add(size_t part, size_t input, const TensorView& x, int64_t matrix) {
  if (memory_) take(part, input, 0, x.rows(), x, matrix);
}

void LowRankPass::add_row(size_t part, size_t input, int64_t row, const TensorView& x, int64_t matrix) {
  if (memory_) take(part, input, row, 1, x, matrix);
}

// Rows [first, first + n) of the operation, which are those of x.
void LowRankPass::take(size_t part, size_t input, int64_t first, int64_t n, const TensorView& x, int64_t matrix) {
  const int64_t at = node_->first_row + first;  // of the step
  for (const AdaptedRows& rows : node_->rows) {
    const CpuLowRank* const change = change_of(*node_, rows, input);
    if (!change) continue;
    const int64_t end = std::min(rows.end(), at + n);
    for (int64_t from = std::max(rows.first, at), to; from < end; from = to) {
      to = std::min(end, from + kRowsTogether);
      TensorView own = x;
      own.data = x.row_bytes(from - at);
      own.slice_stride = x.row_stride();
      own.desc.shape = Shape{to - from, x.cols()};
      memory_->pieces.push_back({part, change, matrix, own, from - at, to - from, rows.scale * change->factor(), floats_});
      floats_ += (to - from) * change->rank();
    }
  }
}

void LowRankPass::begin() {
  memory_->floats(floats_);
  left_.store(std::ssize(memory_->pieces), std::memory_order_relaxed);
}

void LowRankPass::down_all(ThreadPool& pool) {
  if (empty()) return;
  begin();
  pool.guided(std::ssize(memory_->pieces), 1, [&](int64_t first, int64_t end, int) {
    for (; first < end; ++first) down(memory_->pieces[static_cast<size_t>(first)]);
  });
}

void LowRankPass::down(const LowRankPiece& piece) {
  const TensorView a = piece.change->a(piece.matrix);
  float* const z = z_of(piece);
  const int64_t rank = piece.change->rank();
  multiply(kernels_, a, {.format = ActFormat::kF32, .packed = false, .data = piece.x.data, .stride = piece.x.row_stride()},
           piece.n, 0, rank, z, rank);
  kernels_.scale(piece.scale, z, z, piece.n * rank);
  left_.fetch_sub(1, std::memory_order_release);
}

void LowRankPass::wait() const {
  while (left_.load(std::memory_order_acquire) > 0) pause_spinning();
}

void LowRankPass::up(size_t part, int64_t from, int64_t to, float* y, int64_t y_stride) const {
  if (empty()) return;
  const auto own = std::ranges::equal_range(memory_->pieces, part, {}, &LowRankPiece::part);
  if (own.empty()) return;
  wait();
  for (const LowRankPiece& piece : own)
    add_low_rank(kernels_, *piece.change, piece.matrix, z_of(piece), piece.n, from, to, y + piece.first * y_stride,
                 y_stride);
}

void add_low_rank(const KernelTable& kernels, const CpuLowRank& change, int64_t matrix, const float* z, int64_t n,
                  int64_t from, int64_t to, float* y, int64_t y_stride) {
  const Format& format = change.b_format();
  const int64_t rank = change.rank(), row_bytes = format.bytes(kLowRankTile);
  const std::byte* rows[kRanksTogether + kRowsAhead];
  for (int64_t at = from, next; at < to; at = next) {
    next = std::min(to, (at / kLowRankTile + 1) * kLowRankTile);
    const std::byte* const tile = change.b(matrix) + at / kLowRankTile * change.tile_bytes();
    for (int64_t first = 0; first < rank; first += kRanksTogether) {
      const int64_t ranks = std::min(kRanksTogether, rank - first);
      for (int64_t j = 0; j < ranks + kRowsAhead; ++j)
        rows[j] = tile + (first + j) * row_bytes + format.bytes(at % kLowRankTile);
      kernels.values[format.id]({.p = z + first,
                                 .p_stride = rank,
                                 .group = n,
                                 .rows = rows,
                                 .n = ranks,
                                 .d = next - at,
                                 .out = y + at - from,
                                 .out_stride = y_stride});
    }
  }
}

}  // namespace skald
