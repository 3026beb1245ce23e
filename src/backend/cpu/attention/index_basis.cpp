#include "backend/cpu/attention/index_basis.h"

#include <algorithm>

#include "backend/cpu/attention/pages.h"
#include "quant/registry.h"

namespace skald {
namespace {

constexpr auto kFloatBytes = static_cast<int64_t>(sizeof(float));

const std::byte* bytes_of(const float* x) { return reinterpret_cast<const std::byte*>(x); }

}  // namespace

void IndexBasis::turn_page(int64_t kv_head, const float* panels, int64_t columns, float* out) const {
  std::fill_n(out, d_ * kPageKeys, 0.0f);
  for (int64_t panel = 0; panel < kPageKeys / kPanel; ++panel)
    for (int64_t first = 0; first < d_; first += kPageKeys) {
      const int64_t n = std::min(kPageKeys, d_ - first);
      const std::byte* rows = bytes_of(panels + (panel * columns + first) * kPanel);
      RowPointers pointers;
      point_at(rows, kPanel * kFloatBytes, n, rows, pointers);
      kernels_->values[format_f32.id]({.p = key_row(kv_head, 0) + first,
                                       .p_stride = d_,
                                       .group = d_,
                                       .rows = pointers,
                                       .n = n,
                                       .d = kPanel,
                                       .out = out + panel * d_ * kPanel,
                                       .out_stride = kPanel});
    }
}

void IndexBasis::turn_queries(int64_t kv_head, const float* q, int64_t group, int64_t stride, float* out) const {
  for (int64_t first = 0; first < d_; first += kPageKeys) {
    const int64_t n = std::min(kPageKeys, d_ - first);
    const std::byte* rows = bytes_of(queries_ + (kv_head * d_ + first) * d_);
    RowPointers pointers;
    point_at(rows, d_ * kFloatBytes, n, rows, pointers);
    kernels_->row_scores[format_f32.id]({.q = q,
                                         .q_stride = stride * kFloatBytes,
                                         .group = group,
                                         .rows = pointers,
                                         .n = n,
                                         .d = d_,
                                         .scores = out + first,
                                         .scores_stride = stride});
  }
  for (int64_t g = 0; g < group; ++g) std::fill(out + g * stride + d_, out + (g + 1) * stride, 0.0f);
}

void IndexBasis::to_whole(int64_t kv_head, const int32_t* dims, int64_t n, const float* weights, int64_t weights_stride,
                          int64_t group, float* out, int64_t stride) const {
  for (int64_t g = 0; g < group; ++g) std::fill_n(out + g * stride, d_, 0.0f);
  for (int64_t first = 0; first < n; first += kPageKeys) {
    const int64_t some = std::min(kPageKeys, n - first);
    RowPointers pointers;
    for (int64_t i = 0; i < some; ++i) pointers[i] = bytes_of(key_row(kv_head, dims[first + i]));
    std::fill_n(pointers + some, kRowsAhead, pointers[some - 1]);
    kernels_->values[format_f32.id]({.p = weights + first,
                                     .p_stride = weights_stride,
                                     .group = group,
                                     .rows = pointers,
                                     .n = some,
                                     .d = d_,
                                     .out = out,
                                     .out_stride = stride});
  }
}

}  // namespace skald
