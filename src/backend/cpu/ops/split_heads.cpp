#include "graph/ops/split_heads.h"

#include <limits>

#include "backend/cpu/ops/rowwise.h"
#include "base/error.h"
#include "tensor/finite.h"

namespace skald {
namespace {

bool scaled(const SplitHeads& a) { return a.format == &format_i8; }

// A row of one head, for as many heads.
int64_t plan(const SplitHeads& a, const CpuPlanArgs& args) {
  if (!args.kernels.store[a.format->id]) fail(Errc::kUnsupported, "no kernel stores {}", a.format->name);
  return scaled(a) ? args.in[0].shape[1] * static_cast<int64_t>(sizeof(float)) : 0;
}

// A scale is 0 where nothing but zeros was seen; others are stored as zeros too.
float inverse_of(float scale) { return scale >= std::numeric_limits<float>::min() ? 1.0f / scale : 0.0f; }

// Bytes with a scale that was known before have no place for values that are not finite.
void want_finite(const TensorView& x) {
  for (int64_t r = 0; r < x.rows(); ++r)
    if (!all_finite(format_f32, reinterpret_cast<const std::byte*>(x.row(r)), x.cols())) throw NotFinite();
}

void run(CpuContext& cx, const SplitHeads& a, const OpArgs& io) {
  const TensorView& x = io.in[0];
  if (scaled(a)) want_finite(x);
  const int64_t d = x.cols() / a.heads;
  const float factor = scaled(a) ? inverse_of(*io.in[1].as()) : 1.0f;
  for_rows(cx, a.heads, x.rows() * d, [&](int64_t head) {
    auto* own = reinterpret_cast<float*>(cx.scratch) + head * d;
    std::byte* out = io.out.slice(head);
    for (int64_t r = 0; r < x.rows(); ++r, out += a.format->bytes(d)) {
      const float* row = x.row(r) + head * d;
      if (scaled(a)) {
        cx.kernels.scale(factor, row, own, d);
        row = own;
      }
      cx.kernels.store[a.format->id](row, out, d);
    }
  });
}

}  // namespace

extern const CpuOp cpu_split_heads;
const CpuOp cpu_split_heads = implement<SplitHeads, run, plan>(op_split_heads);

}  // namespace skald
