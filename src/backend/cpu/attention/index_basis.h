// IndexBasis: the components in which the key index of a layer holds keys. `skald calibrate` chooses them so that few of
// them tell most of a score. Queries have bases of their own, so that the sum over all components is the score of the whole
// keys.
#pragma once

#include "kernels/api/kernel_table.h"
#include "tensor/tensor.h"

namespace skald {

class IndexBasis {
 public:
  IndexBasis() = default;
  /// `keys`, `queries`: (n_kv_heads, d, d) floats, a component in each row; the kernels must outlive it.
  IndexBasis(const KernelTable& kernels, const TensorView& keys, const TensorView& queries)
      : kernels_(&kernels), keys_(keys.as()), queries_(queries.as()), d_(keys.cols()) {}
  IndexBasis(const KernelTable& kernels, const TensorView& keys) : kernels_(&kernels), keys_(keys.as()), d_(keys.cols()) {}

  /// False: components of the index are those of the keys.
  explicit operator bool() const { return keys_ != nullptr; }

  /// Gives a page's keys by components: panels (kPageKeys / kPanel, columns, kPanel), out (kPageKeys / kPanel, d, kPanel).
  void turn_page(int64_t kv_head, const float* panels, int64_t columns, float* out) const;
  /// Gives queries by components: q, out (group, stride).
  void turn_queries(int64_t kv_head, const float* q, int64_t group, int64_t stride, float* out) const;
  /// Gives the queries that score whole keys as n components score keys of the index. weights (group, weights_stride): of
  /// the components dims (n); out (group, stride), whose first d numbers are written.
  void to_whole(int64_t kv_head, const int32_t* dims, int64_t n, const float* weights, int64_t weights_stride, int64_t group,
                float* out, int64_t stride) const;

 private:
  const float* key_row(int64_t kv_head, int64_t c) const { return keys_ + (kv_head * d_ + c) * d_; }

  const KernelTable* kernels_ = nullptr;
  const float *keys_ = nullptr, *queries_ = nullptr;
  int64_t d_ = 0;
};

}  // namespace skald
