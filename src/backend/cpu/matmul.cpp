#include "backend/cpu/matmul.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/low_rank.h"
#include "backend/cpu/ops/rowwise.h"
#include "base/checked.h"
#include "base/cpu_features.h"
#include "base/cpu_topology.h"
#include "base/error.h"
#include "kernels/api/act_q16.h"
#include "kernels/api/act_q8.h"
#include "quant/panels.h"
#include "quant/registry.h"
#include "tensor/finite.h"

namespace skald {
namespace {

constexpr int64_t kTokenBlock = 64;  // rows: tokens whose activations stay in the cache while the weights pass

// Panels: the same, of a core's second-level cache. A kernel goes over about this many bytes of a token before the next
// weights.
int64_t packed_token_block(int64_t tokens) {
  constexpr int64_t kTokenBytes = 768, kLeast = 64, kMost = 512;
  static const int64_t most = std::clamp(second_level_cache_bytes() / 2 / kTokenBytes, kLeast, kMost);
  return ceil_div(tokens, std::max(ceil_div(tokens, most), int64_t{1}));  // blocks of one size
}

// AMD's cores fetch faster by themselves than when asked to, beside a q8_0 token's arithmetic. Zen 3 reads four streams at
// 59 GB/s instead of 49, Zen 4 one at 33 instead of 31, a core of Zen 5 one at 40 instead of 32.
int64_t weights_ahead() {
  static const bool amd = cpu_features().amd;
  return amd ? 0 : kPrefetchBytes;
}

ActFormat act_of(const KernelTable& kernels, const TensorView& w) {
  return (w.packed ? kernels.packed_act : kernels.act)[w.desc.format->id];
}

// Bytes of one row of activations as the kernel wants them.
int64_t act_bytes(ActFormat act, int64_t k) {
  switch (act) {
    case ActFormat::kF32:
      return k * static_cast<int64_t>(sizeof(float));
    case ActFormat::kBf16:
      return round_up(k, 32) * 2;
    case ActFormat::kQ8:
      return act_q8_bytes(k);
    case ActFormat::kQ16:
      return act_q16_bytes(k);
  }
  return 0;
}

int64_t one_form_bytes(ActFormat act, int64_t tokens, int64_t k) { return round_up(tokens * act_bytes(act, k), 64); }

// There is room for the low part of bfloat16, whether a step has it or not.
int64_t parts_of(ActFormat act) { return act == ActFormat::kBf16 ? 2 : 1; }

// Of all rows that are converted; floats stay where they are.
int64_t converted_bytes(ActFormat act, int64_t tokens, int64_t k) {
  return act == ActFormat::kF32 ? 0 : parts_of(act) * one_form_bytes(act, tokens, k);
}

// Activations of several tokens lie in pieces of columns: see PackedMatmulArgs::x_chunk.
bool in_pieces(const TensorView& w, ActFormat act, int64_t tokens) {
  return w.packed && (act == ActFormat::kF32 || act == ActFormat::kBf16) && tokens > 1;
}

StoreFn store_of(const KernelTable& kernels, ActFormat act) {
  return act == ActFormat::kQ8 ? kernels.quantize_q8 : act == ActFormat::kQ16 ? kernels.quantize_q16 : kernels.to_bf16;
}

// Whether a converted row was finite: integers have scales that are not where a value was not.
bool was_finite(ActFormat act, const std::byte* row, int64_t k) {
  switch (act) {
    case ActFormat::kQ8:
      return all_finite(format_f32, row + ActQ8Row(k).scales, k / kActQ8Block);
    case ActFormat::kQ16:
      return all_finite(format_f32, row + act_q16_scales(k), act_q16_blocks(k));
    default:
      return true;  // formats of floats hide nothing
  }
}

// A weight's change makes more of what rounding takes: rows that adapters change meet bfloat16 in two parts, 16 bits.
bool keeps_low(const CpuContext& cx, ActFormat act) { return cx.adapters && act == ActFormat::kBf16; }

// Whether adapters change the operation's row that has the row r of `rows`.
bool is_adapted(const NodeAdapters& node, int64_t r, int64_t rows) {
  const int64_t row = node.first_row + r * node.n_rows / rows;
  return std::ranges::any_of(node.rows, [&](const AdaptedRows& a) { return a.first <= row && row < a.end(); });
}

// x less its rounded values, rounded: both have the same form.
void take_low(const CpuContext& cx, const float* x, const std::byte* rounded, std::byte* out, int64_t k) {
  constexpr int64_t kPiece = 256;
  float piece[kPiece];
  for (int64_t at = 0; at < k; at += kPiece) {
    const int64_t n = std::min(kPiece, k - at);
    find_format("bf16")->decode(rounded + at * 2, piece, n);
    for (int64_t i = 0; i < n; ++i) piece[i] = x[at + i] - piece[i];
    cx.kernels.to_bf16(piece, out + at * 2, n);
  }
}

MatmulInput convert(CpuContext& cx, const TensorView& x, const TensorView& w, std::byte* scratch) {
  const ActFormat act = act_of(cx.kernels, w);
  if (act == ActFormat::kF32) return {act, w.packed, x.data, x.row_stride()};
  const int64_t stride = act_bytes(act, x.cols());
  std::byte* const low = keeps_low(cx, act) ? scratch + one_form_bytes(act, x.rows(), x.cols()) : nullptr;
  const StoreFn to = store_of(cx.kernels, act);
  std::atomic<bool> finite = true;
  for_rows(cx, x.rows(), x.cols(), [&](int64_t r) {
    std::byte* const row = scratch + r * stride;
    to(x.row(r), row, x.cols());
    if (!was_finite(act, row, x.cols())) finite = false;
    if (!low) return;
    if (is_adapted(*cx.adapters, r, x.rows()))
      take_low(cx, x.row(r), row, low + r * stride, x.cols());
    else
      std::memset(low + r * stride, 0, static_cast<size_t>(stride));
  });
  if (!finite) throw NotFinite();
  return {.format = act, .packed = w.packed, .data = scratch, .stride = stride, .low = low};
}

int64_t one_laid_out_bytes(ActFormat act, int64_t n, int64_t k, bool pieces) {
  return round_up(n * (pieces ? ceil_div(k, kChunkColumns) * act_bytes(act, kChunkColumns) : act_bytes(act, k)), 64);
}

// n rows, row(i) of those that were converted, go to `out` as whole rows or, for several, as the kernel wants them.
template <class Row>
void lay_out(CpuContext& cx, MatmulInput& x, int64_t n, int64_t k, bool pieces, Row row, std::byte* out) {
  const int64_t bytes = act_bytes(x.format, k), piece = pieces ? act_bytes(x.format, kChunkColumns) : bytes,
                chunk = n * piece;
  std::byte* const low = x.low ? out + one_laid_out_bytes(x.format, n, k, pieces) : nullptr;
  const auto copy = [&](const std::byte* from, int64_t i, std::byte* to) {
    for (int64_t at = 0; at < bytes; at += piece)
      std::memcpy(to + at / piece * chunk + i * piece, from + at, static_cast<size_t>(std::min(piece, bytes - at)));
  };
  for_rows(cx, n, k, [&](int64_t i) {
    copy(x.data + row(i) * x.stride, i, out);
    if (low) copy(x.low + row(i) * x.stride, i, low);
  });
  x.data = out;
  x.low = low;
  x.stride = piece;
  x.chunk = pieces ? chunk : 0;
}

// Of n rows that lay_out() writes.
int64_t laid_out_bytes(ActFormat act, int64_t n, int64_t k, bool pieces) {
  return parts_of(act) * one_laid_out_bytes(act, n, k, pieces);
}

}  // namespace

int64_t matmul_scratch(const KernelTable& kernels, const Shape& x, const TensorView& w) {
  if (!w.desc.format->decode) fail(Errc::kUnsupported, "no matmul kernel for {} weights", w.desc.format->name);
  const ActFormat act = act_of(kernels, w);
  const int64_t tokens = x[0], k = x[1];
  return converted_bytes(act, tokens, k) + (in_pieces(w, act, tokens) ? laid_out_bytes(act, tokens, k, true) : 0);
}

MatmulInput prepare(CpuContext& cx, const TensorView& x, const TensorView& w, std::byte* scratch) {
  MatmulInput in = convert(cx, x, w, scratch);
  if (in_pieces(w, in.format, x.rows()))
    lay_out(
        cx, in, x.rows(), x.cols(), true, [](int64_t i) { return i; },
        scratch + converted_bytes(in.format, x.rows(), x.cols()));
  return in;
}

int64_t picked_scratch(const KernelTable& kernels, const Shape& x, int64_t n_rows, const TensorView& w) {
  const ActFormat act = act_of(kernels, w);
  return matmul_scratch(kernels, x, w) + laid_out_bytes(act, n_rows, x[1], in_pieces(w, act, n_rows));
}

MatmulInput prepare_picked(CpuContext& cx, const TensorView& x, std::span<const int32_t> rows, const TensorView& w,
                           std::byte* scratch) {
  const auto n = static_cast<int64_t>(rows.size());
  MatmulInput in = convert(cx, x, w, scratch);
  lay_out(
      cx, in, n, x.cols(), in_pieces(w, in.format, n), [&](int64_t i) { return rows[static_cast<size_t>(i)]; },
      scratch + converted_bytes(in.format, x.rows(), x.cols()));
  return in;
}

MatmulInput from_row(MatmulInput x, int64_t row) {
  x.data += row * x.stride;
  if (x.low) x.low += row * x.stride;
  return x;
}

TensorView row_of(const TensorView& x, int64_t row) {
  TensorView out = x;
  out.data = x.row_bytes(row);
  out.desc.shape = Shape{1, x.cols()};
  return out;
}

TensorView matrix_of(const TensorView& w, int64_t i) {
  TensorView out = w;
  out.desc.shape = Shape{w.shape()[1], w.shape()[2]};
  out.data += i * (w.packed ? find_panels(*w.desc.format)->bytes(out.desc.shape) : out.desc.bytes());
  return out;
}

bool serves(const KernelTable& kernels, const MatmulInput& x, const TensorView& w) {
  return x.format == act_of(kernels, w) && x.packed == w.packed;
}

namespace {

// A block of outputs at a time, which is in the cache when the low part's is added.
void add_low(const KernelTable& kernels, const TensorView& w, const MatmulInput& x, int64_t tokens, int64_t begin,
             int64_t end, float* y, int64_t y_stride) {
  float block[kTokenBlock * kOutputGrain];
  MatmulInput low = x;
  low.data = x.low;
  low.low = nullptr;
  for (int64_t from = begin; from < end; from += kOutputGrain)
    for (int64_t t = 0; t < tokens; t += kTokenBlock) {
      const int64_t width = std::min(kOutputGrain, end - from), n = std::min(kTokenBlock, tokens - t);
      multiply(kernels, w, from_row(low, t), n, from, from + width, block, width);
      for (int64_t i = 0; i < n; ++i) {
        float* const out = y + (t + i) * y_stride + from - begin;
        kernels.add(out, block + i * width, out, width);
      }
    }
}

}  // namespace

void multiply(const KernelTable& kernels, const TensorView& w, const MatmulInput& x, int64_t tokens, int64_t begin,
              int64_t end, float* y, int64_t y_stride) {
  if (x.low) {
    MatmulInput high = x;
    high.low = nullptr;
    multiply(kernels, w, high, tokens, begin, end, y, y_stride);
    return add_low(kernels, w, x, tokens, begin, end, y, y_stride);
  }
  const uint32_t format = w.desc.format->id;
  const int64_t k = w.cols();
  if (w.packed) {
    const int64_t panel_bytes = find_panels(*w.desc.format)->panel_bytes(k), block = packed_token_block(tokens);
    for (int64_t t = 0; t < tokens; t += block)
      kernels.packed_matmul[format]({.panels = w.data + begin / kPanelRows * panel_bytes,
                                     .panel_stride = panel_bytes,
                                     .x = x.data + t * x.stride,
                                     .x_stride = x.stride,
                                     .x_chunk = x.chunk,
                                     .y = y + t * y_stride,
                                     .y_stride = y_stride,
                                     .n = end - begin,
                                     .m = std::min(block, tokens - t),
                                     .k = k,
                                     .ahead = weights_ahead()});
    return;
  }
  const MatmulArgs all{.w = w.row_bytes(begin),
                       .w_stride = w.desc.row_bytes(),
                       .x = x.data,
                       .x_stride = x.stride,
                       .y = y,
                       .y_stride = y_stride,
                       .n = end - begin,
                       .m = tokens,
                       .k = k};
  if (!kernels.matmul[format]) return kernels.matmul_decoded(all, *w.desc.format);
  for (int64_t t = 0; t < tokens; t += kTokenBlock) {
    MatmulArgs block = all;
    block.x = x.data + t * x.stride;
    block.y = y + t * y_stride;
    block.m = std::min(kTokenBlock, tokens - t);
    kernels.matmul[format](block);
  }
}

}  // namespace skald
