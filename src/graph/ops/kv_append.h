// kv_append: stores the step's keys and values in a layer's cache at their positions.
// Inputs: k (tokens, n_kv_heads * d_k) [, v (tokens, n_kv_heads * d_v)] [, the basis of the index (n_kv_heads, d_k, d_k), a
// component in each row] -> an empty value that the layer's attention waits for.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct KvAppend {
  int64_t n_kv_heads = 0;
  int32_t slot = 0;
  bool basis = false;  // the index holds keys in components of a basis, which is the last input
  /// Of n inputs, the keys and values.
  size_t stored(size_t n) const { return n - (basis ? 1 : 0); }
  std::string describe() const;
  friend bool operator==(const KvAppend&, const KvAppend&) = default;
};

extern const OpDef op_kv_append;

}  // namespace skald
