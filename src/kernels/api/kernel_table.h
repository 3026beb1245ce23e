// KernelTable: the fastest kernel that this machine has for each job; plain functions on plain memory, filled by the tiers.
// Kernels are pure and noexcept, allocate nothing and start no threads. A row's result does not depend on its neighbours.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/api/attention.h"
#include "kernels/api/key_codes.h"
#include "kernels/api/key_index.h"
#include "kernels/api/packed.h"
#include "kernels/api/recurrent.h"
#include "kernels/api/select.h"
#include "tensor/activation.h"
#include "tensor/format.h"

namespace skald {

/// Formats are table indices; GGUF numbers its types below 64.
inline constexpr int kMaxFormats = 64;

/// How a matmul wants its activations.
enum class ActFormat : uint8_t {
  kF32,   // k floats
  kBf16,  // k bfloat16, padded with zeros to a multiple of 32
  kQ8,    // int8 with one scale per 32: see kernels/api/act_q8.h
  kQ16,   // int16 with one scale per 32: see kernels/api/act_q16.h
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

using MatmulFn = void (*)(const MatmulArgs&) noexcept;
/// The same by floats and weights of any format that has a decoder.
using MatmulDecodedFn = void (*)(const MatmulArgs&, const Format&) noexcept;
using ActivationFn = void (*)(const float* x, float* y, int64_t n) noexcept;               // y = f(x)
using GluFn = void (*)(const float* gate, const float* up, float* y, int64_t n) noexcept;  // y = f(gate) * up
using StoreFn = void (*)(const float* x, void* y, int64_t n) noexcept;  // n a multiple of the format's block

struct KernelTable {
  const char* tier = "";  // the best tier that contributed

  std::array<MatmulFn, kMaxFormats> matmul{};  // null: there is matmul_decoded only
  MatmulDecodedFn matmul_decoded = nullptr;
  std::array<ActFormat, kMaxFormats> act{};
  std::array<PackedMatmulFn, kMaxFormats> packed_matmul{};  // by the format of the rows that were packed
  std::array<ActFormat, kMaxFormats> packed_act{};
  std::array<StoreFn, kMaxFormats> store{};  // float row -> format

  // Attention, by the format of keys or values; by dimensions only for formats without blocks.
  std::array<RowScoresFn, kMaxFormats> row_scores{};
  std::array<ActFormat, kMaxFormats> score_act{};              // how row_scores wants queries: kF32 or kQ8
  std::array<RowScoresFn, kMaxFormats> row_scores_in_order{};  // of floats; sums have the order of dim_scores
  std::array<DimScoresFn, kMaxFormats> dim_scores{};
  std::array<ValuesFn, kMaxFormats> values{};
  std::array<UnpackFn, kMaxFormats> unpack_key_rows{}, unpack_key_dims{}, unpack_values{};
  std::array<StoreDimsFn, kMaxFormats> store_dims{};
  AdjustScoresFn adjust_scores = nullptr;
  SoftmaxFn softmax = nullptr;
  PanelGemmFn panel_gemm = nullptr;
  /// The type of prefill's products: kF32, kQ16 with the four below, or kBf16 with the three after them.
  ActFormat prefill_act = ActFormat::kF32;
  QuantizePanelsFn quantize_keys = nullptr, quantize_values = nullptr;
  QuantizeWeightsFn quantize_weights = nullptr;
  PanelGemmCodesFn<PanelQ16> panel_gemm_q16 = nullptr;
  SplitPanelsFn split_panels = nullptr;
  SplitRowsFn split_rows = nullptr;
  PanelGemmCodesFn<PanelBf16x2> panel_gemm_bf16x2 = nullptr;
  /// In place, orthonormal: x (n) in blocks of `block`, a power of two that divides n.
  void (*hadamard)(float* x, int64_t n, int64_t block) noexcept = nullptr;

  void (*quantize_q8)(const float* x, void* y, int64_t k) noexcept = nullptr;   // y: act_q8_bytes(k)
  void (*quantize_q16)(const float* x, void* y, int64_t k) noexcept = nullptr;  // y: act_q16_bytes(k); may be null
  void (*to_bf16)(const float* x, void* y, int64_t k) noexcept = nullptr;       // y: round_up(k, 32) values
  /// y[i] = x[i] / sqrt(mean(x^2) + eps) * w[i]; x, w, y (n)
  void (*rms_norm)(const float* x, const float* w, float* y, int64_t n, float eps) noexcept = nullptr;
  /// y[i] = (x[i] - mean(x)) / sqrt(variance(x) + eps) * w[i] + b[i]; x, w, b, y (n); b may be null
  void (*layer_norm)(const float* x, const float* w, const float* b, float* y, int64_t n, float eps) noexcept = nullptr;
  /// Rotates the pairs of one head; x, y (d_head), cos and sin (dims / 2). halves: pairs (i, i + dims/2), else (2i, 2i+1)
  void (*rope)(const float* x, const float* cos, const float* sin, float* y, int64_t d_head, int64_t dims,
               bool halves) noexcept = nullptr;
  void (*add)(const float* a, const float* b, float* y, int64_t n) noexcept = nullptr;
  void (*mul)(const float* a, const float* b, float* y, int64_t n) noexcept = nullptr;
  void (*scale)(float factor, const float* x, float* y, int64_t n) noexcept = nullptr;       // y = factor * x
  void (*add_scaled)(float factor, const float* x, float* y, int64_t n) noexcept = nullptr;  // y += factor * x
  void (*softcap)(const float* x, float cap, float* y, int64_t n) noexcept = nullptr;        // y = cap * tanh(x / cap)
  std::array<ActivationFn, kActivations> activation{};                                       // by Activation
  std::array<GluFn, kActivations> glu{};

  UpdateStateFn update_state = nullptr;
  ReadStateFn read_state = nullptr;
  ScanStateFn scan_state = nullptr;
  ConvRowFn conv_row = nullptr;

  std::array<IndexScoresFn, kKeyIndexes> index_scores{};  // by KeyIndex
  std::array<StoreIndexFn, kKeyIndexes> store_index{};
  void (*select_top)(const SelectTopArgs&) noexcept = nullptr;

  // Keys as codes by component and page, by KeyCodes; scores are of folded queries.
  std::array<StoreCodesFn, kKeyCodes> store_codes{};
  std::array<FoldQueriesFn, kKeyCodes> fold_queries{};
  std::array<RowScoresFn, kKeyCodes> code_scores{};
  std::array<DimScoresFn, kKeyCodes> code_dim_scores{};
  std::array<UnpackCodesFn, kKeyCodes> unpack_codes{};
};

}  // namespace skald
