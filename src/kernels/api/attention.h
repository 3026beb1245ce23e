// The parts of attention: scores of one query group against the keys of a page, online softmax (Dao, arXiv 2307.08691), and
// weighted sums of values. For prefill there are the same over float panels. Everything is about one KV head.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/act_q16.h"
#include "kernels/api/kv_page.h"

namespace skald {

/// Arrays of row pointers have this many more entries than rows: those that will be read next, so that kernels can ask for
/// them.
inline constexpr int64_t kRowsAhead = 32;
/// Columns of a panel of prefill's matrices.
inline constexpr int64_t kPanel = 32;

/// The bytes that will be read after a page, so that kernels can ask for them while they work on it; 0 bytes: not known.
struct NextPage {
  const std::byte* first;
  int64_t bytes;
};

/// scores[g, i] = q[g] . key i, for keys that lie in rows.
struct RowScoresArgs {
  const void* q;     // (group, d), floats or act_q8 rows, as KernelTable::score_act says
  int64_t q_stride;  // bytes
  int64_t group;
  const std::byte* const* rows;  // (n + kRowsAhead)
  int64_t n, d;
  float* scores;  // (group, n)
  int64_t scores_stride;
  NextPage next{};  // if the rows are a page's
};

/// The same for a page with its keys dimension by dimension.
struct DimScoresArgs {
  const float* q;    // (group, d)
  int64_t q_stride;  // floats
  int64_t group;
  const std::byte* keys;  // (d, kPageKeys)
  int64_t k_stride;       // bytes between dimensions
  NextPage next;
  int64_t n, d;   // n <= kPageKeys
  float* scores;  // (group, kPageKeys): garbage from n on
  int64_t scores_stride;
};

/// out[g] += sum over i of p[g, i] * value i.
struct ValuesArgs {
  const float* p;    // (group, n)
  int64_t p_stride;  // floats
  int64_t group;
  const std::byte* const* rows;  // (n + kRowsAhead)
  int64_t n, d;
  float* out;  // (group, d)
  int64_t out_stride;
  NextPage next{};  // if the rows are a page's
};

/// scores (n) = cap(score) + bias + slope * i.
struct AdjustScoresArgs {
  float* scores;
  int64_t n;
  float softcap;      // c > 0: c * tanh(score / c)
  float bias, slope;  // ALiBi
};

/// One step of an online softmax for each row: scores become exp(score - max), where max is the largest so far. Sum and out
/// are scaled when the maximum grows.
struct SoftmaxArgs {
  float* scores;  // (rows, n)
  int64_t scores_stride;
  int64_t rows, n;
  float* max;  // (rows)
  float* sum;  // (rows)
  float* out;  // (rows, d)
  int64_t out_stride, d;
};

/// A page's keys or values as floats in panels.
struct UnpackArgs {
  const std::byte* const* rows;  // (n + kRowsAhead): keys or values in rows; or
  const std::byte* keys;         // (d, kPageKeys): a page of keys by dimensions
  int64_t k_stride;
  int64_t n, d;   // n <= kPageKeys
  float* panels;  // keys: (kPageKeys / kPanel, d, kPanel); values: (d rounded up / kPanel, kPageKeys, kPanel), 0 from n on
};

/// c (m, panels * kPanel) = or += a (m, k) b, with b (panels, k, kPanel). Sums run over k in order, one product at a time.
struct PanelGemmArgs {
  const float* a;
  int64_t a_stride;  // floats
  const float* b;
  float* c;
  int64_t c_stride;  // floats
  int64_t m, k, panels;
  bool add;
};

/// 32 rows of a panel as integers of 16 bits: row r of column c is unit[c] * pairs[r / 2][c][r % 2], with |pairs| <= 8191.
struct alignas(64) PanelQ16 {
  int16_t pairs[kActQ16Block / 2][kPanel][2];
  float unit[kPanel];
};

/// Float panels (panels, rows, kPanel) as blocks (panels, rows rounded up / 32); of keys, each has its own unit in each
/// block. Values are sums over rows: each row has one unit, row_unit[row], by which weights are to be multiplied, and blocks
/// have the unit 1.
struct QuantizePanelsArgs {
  const float* panels;
  int64_t n_panels, rows;
  PanelQ16* blocks;
  float* row_unit;  // (kPageKeys), of values: rows = kPageKeys
};

/// weights (n, kPageKeys) times row_unit (kPageKeys), as act_q16 rows; the scales of a row are equal.
struct QuantizeWeightsArgs {
  const float* weights;
  const float* row_unit;
  std::byte* codes;
  int64_t n;
};

/// c (m, panels * kPanel) = or += a (m, k) b, with b (panels, blocks of k). Sums run over blocks in order, exact in each of
/// PanelQ16; of PanelBf16x2, products of two low parts are left out.
template <class Block>
struct PanelGemmCodesArgs {
  const std::byte* a;  // act_q16 rows of k, or rows of bf16x2_bytes(k)
  const Block* b;
  float* c;
  int64_t c_stride;  // floats
  int64_t m, k, panels;
  bool add;
};

/// 32 rows of a panel, each value as the sum of two bfloat16, for products of pairs of rows: 16 bits of it, exact for f16.
struct alignas(64) PanelBf16x2 {
  using Half = uint16_t[kPanel / 2][kPanel / 2][2];  // (row / 2, column % 16, row % 2)
  Half high[2], low[2];                              // by column / 16
};
inline constexpr int64_t kBf16x2Rows = kPanel;

/// Float panels (panels, rows, kPanel) as blocks (panels, rows rounded up / kBf16x2Rows), filled up with zeros.
struct SplitPanelsArgs {
  const float* panels;
  int64_t n_panels, rows;
  PanelBf16x2* blocks;
};

/// Returns the bytes of a row of k values as sums of two bfloat16: the high ones, filled up with zeros to kBf16x2Rows, then
/// the low ones.
[[gnu::always_inline]] constexpr int64_t bf16x2_bytes(int64_t k) {
  return (k + kBf16x2Rows - 1) / kBf16x2Rows * kBf16x2Rows * 4;
}

/// Floats (n, k) as such rows.
struct SplitRowsArgs {
  const float* x;
  int64_t x_stride;  // floats
  std::byte* rows;
  int64_t n, k;
};

/// Keys (n, d) into a page by dimensions.
struct StoreDimsArgs {
  const float* x;
  int64_t x_stride;  // floats
  std::byte* keys;   // the first key's place in dimension 0
  int64_t k_stride;  // bytes between dimensions
  int64_t n, d;
};

using RowScoresFn = void (*)(const RowScoresArgs&) noexcept;
using DimScoresFn = void (*)(const DimScoresArgs&) noexcept;
using ValuesFn = void (*)(const ValuesArgs&) noexcept;
using AdjustScoresFn = void (*)(const AdjustScoresArgs&) noexcept;
using SoftmaxFn = void (*)(const SoftmaxArgs&) noexcept;
using UnpackFn = void (*)(const UnpackArgs&) noexcept;
using PanelGemmFn = void (*)(const PanelGemmArgs&) noexcept;
using QuantizePanelsFn = void (*)(const QuantizePanelsArgs&) noexcept;
using QuantizeWeightsFn = void (*)(const QuantizeWeightsArgs&) noexcept;
template <class Block>
using PanelGemmCodesFn = void (*)(const PanelGemmCodesArgs<Block>&) noexcept;
using SplitPanelsFn = void (*)(const SplitPanelsArgs&) noexcept;
using SplitRowsFn = void (*)(const SplitRowsArgs&) noexcept;
using StoreDimsFn = void (*)(const StoreDimsArgs&) noexcept;

}  // namespace skald
