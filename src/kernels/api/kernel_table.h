// KernelTable: the fastest kernel that this machine has for each job; plain functions on plain memory, filled by the tiers.
// Kernels are pure and noexcept, allocate nothing and start no threads. A row's result does not depend on its neighbours.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/api/kv_view.h"
#include "kernels/api/select.h"

namespace skald {

/// Formats are table indices; GGUF numbers its types below 64.
inline constexpr int kMaxFormats = 64;

/// How a matmul wants its activations.
enum class ActFormat : uint8_t {
  kF32,   // k floats
  kBf16,  // k bfloat16, padded with zeros to a multiple of 32
  kQ8,    // int8 with one scale per 32: see kernels/api/act_q8.h
};

/// y[t * y_stride + r] = sum over k of w[r, k] * x[t, k], for r in [0, n) and t in [0, m).
struct MatmulArgs {
  const void* w;     // (n, k) in the kernel's format
  int64_t w_stride;  // bytes between rows
  const void* x;     // (m, k) in the format's ActFormat
  int64_t x_stride;  // bytes between rows
  float* y;          // (m, n), rows y_stride floats apart
  int64_t y_stride;
  int64_t n, m, k;
};

/// One query group on one KV head: out[g] = softmax(scale * q[g] K^T) V over the keys [first, end).
struct AttentionArgs {
  const float* q;  // (group, d_k)
  float* out;      // (group, d_v)
  int64_t group;   // query heads that share the KV head
  int64_t d_k, d_v;
  const KvView* kv;
  int64_t kv_head;
  int64_t first, end;  // first < end
  float scale;
  float* scratch;  // attention_scratch(group, page_keys) floats
};

constexpr int64_t attention_scratch(int64_t group, int64_t page_keys) { return 2 * group + page_keys; }

using MatmulFn = void (*)(const MatmulArgs&) noexcept;
using AttentionFn = void (*)(const AttentionArgs&) noexcept;
using StoreFn = void (*)(const float* x, void* y, int64_t n) noexcept;  // n a multiple of the format's block

struct KernelTable {
  const char* tier = "";  // the best tier that contributed

  std::array<MatmulFn, kMaxFormats> matmul{};
  std::array<ActFormat, kMaxFormats> act{};
  std::array<std::array<AttentionFn, kMaxFormats>, kMaxFormats> attention{};  // [format of K][format of V]
  std::array<StoreFn, kMaxFormats> store{};                                   // float row -> format

  void (*quantize_q8)(const float* x, void* y, int64_t k) noexcept = nullptr;  // y: act_q8_bytes(k)
  void (*to_bf16)(const float* x, void* y, int64_t k) noexcept = nullptr;      // y: round_up(k, 32) values
  /// y[i] = x[i] / sqrt(mean(x^2) + eps) * w[i]; x, w, y (n)
  void (*rms_norm)(const float* x, const float* w, float* y, int64_t n, float eps) noexcept = nullptr;
  /// Rotates the pairs of one head; x, y (d_head), cos and sin (dims / 2). halves: pairs (i, i + dims/2), else (2i, 2i+1)
  void (*rope)(const float* x, const float* cos, const float* sin, float* y, int64_t d_head, int64_t dims,
               bool halves) noexcept = nullptr;
  void (*add)(const float* a, const float* b, float* y, int64_t n) noexcept = nullptr;
  void (*mul)(const float* a, const float* b, float* y, int64_t n) noexcept = nullptr;
  void (*silu)(const float* x, float* y, int64_t n) noexcept = nullptr;
  void (*swiglu)(const float* gate, const float* up, float* y, int64_t n) noexcept = nullptr;  // silu(gate) * up

  void (*select_top)(const SelectTopArgs&) noexcept = nullptr;
};

}  // namespace skald
