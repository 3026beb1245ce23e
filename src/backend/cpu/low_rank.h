// Low-rank products of adapters beside the products of an operation's weights: z = x A^T once, then y += z B^T for any range
// of outputs. A row's bits depend neither on its neighbours nor on the range.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/cpu_adapter.h"
#include "backend/device_adapter.h"
#include "base/thread_pool.h"
#include "kernels/api/kernel_table.h"
#include "tensor/buffer.h"
#include "tensor/tensor.h"

namespace skald {

struct CpuContext;

/// Some rows that meet a change.
struct LowRankPiece {
  size_t part;  // of the operation, as its user numbers them
  const CpuLowRank* change;
  int64_t matrix;
  TensorView x;      // (n, k)
  int64_t first, n;  // rows of the operation's output
  float scale;
  int64_t z;  // where its (n, rank) begin
};

/// What passes keep from one operation to the next, to save allocations.
struct LowRankMemory {
  std::vector<LowRankPiece> pieces;
  Buffer z;

  /// Returns memory for n floats, which may have been there before.
  float* floats(int64_t n);
};

/// The adapters of the running operation's rows.
struct NodeAdapters {
  std::span<const AdaptedRows> rows;  // of the step
  std::span<const int> sites;         // of each input of the operation; -1: no adapter changes it
  int64_t first_row = 0, n_rows = 0;  // of the step, that the operation computes
  LowRankMemory* memory = nullptr;
};

/// Returns how an adapter of the rows changes an input of the operation; null: not at all.
const CpuLowRank* change_of(const NodeAdapters& node, const AdaptedRows& rows, size_t input);

class LowRankPass {
 public:
  explicit LowRankPass(const CpuContext& cx);

  /// Takes the step's rows that meet a change of the input `input`: x (rows, k) has those of the operation. Parts are added
  /// in order.
  void add(size_t part, size_t input, const TensorView& x, int64_t matrix = 0);
  /// Likewise of a single row of the operation, with x (1, k); its part has that row only.
  void add_row(size_t part, size_t input, int64_t row, const TensorView& x, int64_t matrix);

  bool empty() const { return !memory_ || memory_->pieces.empty(); }
  /// Computes all z by the threads of the pool.
  void down_all(ThreadPool& pool);
  /// Hands out [0, n) as ThreadPool::guided() does, after all z: a thread that wants one in up() waits for it.
  template <class Body>
  void guided(ThreadPool& pool, int64_t n, int64_t grain, Body&& body);
  /// Adds to outputs [from, to) of the part's rows, y (rows, to - from) with rows y_stride floats apart. One thread.
  void up(size_t part, int64_t from, int64_t to, float* y, int64_t y_stride) const;

 private:
  void take(size_t part, size_t input, int64_t first, int64_t n, const TensorView& x, int64_t matrix);
  void begin();
  void down(const LowRankPiece& piece);
  float* z_of(const LowRankPiece& piece) const { return memory_->z.as<float>() + piece.z; }
  void wait() const;

  const KernelTable& kernels_;
  const NodeAdapters* node_;
  LowRankMemory* memory_;
  int64_t floats_ = 0;
  std::atomic<int64_t> left_ = 0;  // pieces without their z
};

/// y (n, to - from) += z (n, rank) times the columns [from, to) of B, a matrix of the change.
void add_low_rank(const KernelTable& kernels, const CpuLowRank& change, int64_t matrix, const float* z, int64_t n,
                  int64_t from, int64_t to, float* y, int64_t y_stride);

template <class Body>
void LowRankPass::guided(ThreadPool& pool, int64_t n, int64_t grain, Body&& body) {
  if (empty()) return pool.guided(n, grain, body);
  begin();
  const std::vector<LowRankPiece>& pieces = memory_->pieces;
  const int64_t first = std::ssize(pieces) * grain;
  pool.guided(first + n, grain, [&](int64_t begin, int64_t end, int thread) {
    for (; begin < std::min(first, end); begin += grain) down(pieces[static_cast<size_t>(begin / grain)]);
    if (begin < end) body(begin - first, end - first, thread);
  });
}

}  // namespace skald
