#include "graph/ops/linear.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/ops/rowwise.h"
#include "base/checked.h"
#include "base/error.h"
#include "kernels/api/act_q8.h"
#include "quant/panels.h"

namespace skald {
namespace {

constexpr int64_t kTokenBlock = 64;  // rows: tokens whose activations stay in the cache while the weights pass
constexpr int64_t kRowGrain = 16;    // rows: a chunk's outputs begin and end on cache lines
constexpr int64_t kPackedGrain = 2 * kPanelRows;

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
  }
  return 0;
}

// Activations of several tokens lie in pieces of columns: see PackedMatmulArgs::x_chunk.
bool in_pieces(const TensorView& w, ActFormat act, int64_t tokens) {
  return w.packed && act != ActFormat::kQ8 && tokens > 1;
}

int64_t piece_bytes(ActFormat act) { return act_bytes(act, kChunkColumns); }

// Bytes of all activations in pieces.
int64_t pieces_bytes(ActFormat act, int64_t tokens, int64_t k) {
  return ceil_div(k, kChunkColumns) * tokens * piece_bytes(act);
}

int64_t plan(const Linear&, const CpuPlanArgs& args) {
  const ValueDesc& x = args.in[0];
  const TensorView& w = args.views[1];
  if (!args.kernels.matmul[w.desc.format->id])
    fail(Errc::kUnsupported, "no matmul kernel for {} weights", w.desc.format->name);
  const ActFormat act = act_of(args.kernels, w);
  const int64_t tokens = x.shape[0], k = x.shape[1];
  const int64_t rows = act == ActFormat::kF32 ? 0 : tokens * act_bytes(act, k);
  return round_up(rows, 64) + (in_pieces(w, act, tokens) ? pieces_bytes(act, tokens, k) : 0);
}

struct Activations {
  const std::byte* data;
  int64_t stride;     // bytes between rows
  int64_t chunk = 0;  // as in PackedMatmulArgs
};

// In the kernel's format: in place for floats, else converted into the scratch.
Activations convert(CpuContext& cx, const TensorView& x, ActFormat act) {
  const int64_t stride = act_bytes(act, x.cols());
  if (act == ActFormat::kF32) return {x.data, stride};
  const auto to = act == ActFormat::kQ8 ? cx.kernels.quantize_q8 : cx.kernels.to_bf16;
  for_rows(cx, x.rows(), x.cols(), [&](int64_t r) { to(x.row(r), cx.scratch + r * stride, x.cols()); });
  return {cx.scratch, stride};
}

// Rows of activations cut into pieces, which go to `out`.
Activations cut(CpuContext& cx, const Activations& whole, const TensorView& x, ActFormat act, std::byte* out) {
  const int64_t piece = piece_bytes(act), chunk = x.rows() * piece;
  for_rows(cx, x.rows(), x.cols(), [&](int64_t t) {
    const std::byte* row = whole.data + t * whole.stride;
    for (int64_t at = 0; at < whole.stride; at += piece)
      std::memcpy(out + at / piece * chunk + t * piece, row + at, static_cast<size_t>(std::min(piece, whole.stride - at)));
  });
  return {out, piece, chunk};
}

void run_packed(CpuContext& cx, const TensorView& w, const Activations& x, const TensorView& y, int64_t k) {
  const int64_t n = y.cols(), panel_bytes = find_panels(*w.desc.format)->panel_bytes(k);
  cx.pool.guided(n, kPackedGrain, [&](int64_t begin, int64_t end, int) {
    cx.kernels.packed_matmul[w.desc.format->id]({.panels = w.data + begin / kPanelRows * panel_bytes,
                                                 .panel_stride = panel_bytes,
                                                 .x = x.data,
                                                 .x_stride = x.stride,
                                                 .x_chunk = x.chunk,
                                                 .y = y.as<float>() + begin,
                                                 .y_stride = n,
                                                 .n = end - begin,
                                                 .m = y.rows(),
                                                 .k = k});
  });
}

void run_rows(CpuContext& cx, const TensorView& w, const Activations& x, const TensorView& y, int64_t k) {
  const int64_t n = y.cols();
  cx.pool.guided(n, kRowGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t t = 0; t < y.rows(); t += kTokenBlock)
      cx.kernels.matmul[w.desc.format->id]({.w = w.row_bytes(begin),
                                            .w_stride = w.desc.row_bytes(),
                                            .x = x.data + t * x.stride,
                                            .x_stride = x.stride,
                                            .y = y.row(t) + begin,
                                            .y_stride = n,
                                            .n = end - begin,
                                            .m = std::min(kTokenBlock, y.rows() - t),
                                            .k = k});
  });
}

void run(CpuContext& cx, const Linear&, const OpArgs& io) {
  const TensorView &x = io.in[0], &w = io.in[1];
  const ActFormat act = act_of(cx.kernels, w);
  Activations rows = convert(cx, x, act);
  if (in_pieces(w, act, x.rows())) {
    const int64_t used = act == ActFormat::kF32 ? 0 : round_up(x.rows() * rows.stride, 64);
    rows = cut(cx, rows, x, act, cx.scratch + used);
  }
  (w.packed ? run_packed : run_rows)(cx, w, rows, io.out, x.cols());
}

}  // namespace

extern const CpuOp cpu_linear;
const CpuOp cpu_linear = implement<Linear, run, plan>(op_linear);

}  // namespace skald
