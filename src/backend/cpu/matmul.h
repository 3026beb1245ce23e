// Matrix products by weights, as operations need them: activations brought into the kernel's form once, then any range of
// outputs by one thread.
#pragma once

#include "backend/cpu/cpu_op.h"

namespace skald {

/// Threads take outputs in multiples of this: as many panels as a kernel reads side by side.
inline constexpr int64_t kOutputGrain = 64;

/// Activations (tokens, k) in a kernel's form.
struct MatmulInput {
  ActFormat format;
  bool packed;  // for weights in panels
  const std::byte* data;
  int64_t stride;     // bytes between rows
  int64_t chunk = 0;  // as in PackedMatmulArgs
  /// Of kBf16: what rounding took from the rows that adapters change, in the same form, and zeros of the others; null: none.
  const std::byte* low = nullptr;
};

/// Returns the bytes that prepare() wants for activations of this shape; throws kUnsupported for a format without a kernel.
int64_t matmul_scratch(const KernelTable& kernels, const Shape& x, const TensorView& w);

/// x (tokens, k) for multiplication by w, by all threads: in place for single rows of floats, else in `scratch`.
MatmulInput prepare(CpuContext& cx, const TensorView& x, const TensorView& w, std::byte* scratch);

/// As prepare(), with row i of the result being row rows[i] of x; however often that is, each row of x is converted once.
int64_t picked_scratch(const KernelTable& kernels, const Shape& x, int64_t n_rows, const TensorView& w);
MatmulInput prepare_picked(CpuContext& cx, const TensorView& x, std::span<const int32_t> rows, const TensorView& w,
                           std::byte* scratch);

/// Tells whether an input that was prepared for other weights serves for w too.
bool serves(const KernelTable& kernels, const MatmulInput& x, const TensorView& w);

/// Returns a prepared input from a row on.
MatmulInput from_row(MatmulInput x, int64_t row);

/// One row of a matrix.
TensorView row_of(const TensorView& x, int64_t row);

/// One matrix of a weight (matrices, n, k).
TensorView matrix_of(const TensorView& w, int64_t i);

/// Outputs [begin, end) of all `tokens` rows, into y (tokens, end - begin) with rows y_stride floats apart. `begin` is a
/// multiple of kOutputGrain. One thread.
void multiply(const KernelTable& kernels, const TensorView& w, const MatmulInput& x, int64_t tokens, int64_t begin,
              int64_t end, float* y, int64_t y_stride);

}  // namespace skald
