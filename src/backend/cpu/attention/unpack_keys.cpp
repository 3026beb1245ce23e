#include "backend/cpu/attention/unpack_keys.h"

#include <cmath>

#include "backend/cpu/attention/pages.h"

namespace skald {
namespace {

// The Hadamard transform along the rows of a panel (n, kPanel).
void hadamard_columns(float* panel, int64_t n) {
  const int64_t block = hadamard_block(n);
  for (int64_t half = 1; half < block; half *= 2)
    for (int64_t at = 0; at < n; at += 2 * half)
      for (int64_t i = at; i < at + half; ++i)
        for (int64_t c = 0; c < kPanel; ++c) {
          float &a = panel[i * kPanel + c], &b = panel[(i + half) * kPanel + c];
          const float sum = a + b, difference = a - b;
          a = sum;
          b = difference;
        }
  const float scale = 1.0f / std::sqrt(static_cast<float>(block));
  for (int64_t i = 0; i < n * kPanel; ++i) panel[i] *= scale;
}

}  // namespace

void unpack_keys(const KernelTable& kernels, const KvView& kv, int64_t head, int64_t slot, int64_t columns, float* panels) {
  const std::byte* page = kv.k_page(head, slot);
  if (kv.k_codes != KeyCodes::kNone)
    return kernels.unpack_codes[static_cast<size_t>(kv.k_codes)](
        {.page = page, .d = columns, .order = kv.k_order, .panels = panels});
  RowPointers rows;
  const UnpackArgs keys{rows, page, kv.k_stride, kPageKeys, columns, panels};
  if (kv.k_order == KeyOrder::kDims) {
    kernels.unpack_key_dims[kv.k_format](keys);
  } else {
    point_at(page, kv.k_stride, kPageKeys, page, rows);
    kernels.unpack_key_rows[kv.k_format](keys);
  }
  if (kv.k_rotated)
    for (int64_t p = 0; p < kPageKeys / kPanel; ++p) hadamard_columns(panels + p * columns * kPanel, columns);
}

void unpack_open_keys(const KernelTable& kernels, const KvView& kv, int64_t head, int64_t slot, int64_t columns,
                      float* panels) {
  const std::byte* page = kv.open_page(head, slot);
  RowPointers rows;
  point_at(page, kv.open.stride, kPageKeys, page, rows);
  kernels.unpack_key_rows[kv.k_format]({rows, page, kv.open.stride, kPageKeys, columns, panels});
}

}  // namespace skald
