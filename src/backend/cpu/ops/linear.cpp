#include "graph/ops/linear.h"

#include <algorithm>

#include "backend/cpu/low_rank.h"
#include "backend/cpu/matmul.h"
#include "base/checked.h"

namespace skald {
namespace {

// Weights that want the activations in the same form share it.
int64_t plan(const NoAttrs&, const CpuPlanArgs& args) {
  int64_t bytes = 0;
  for (const TensorView& w : args.views.subspan(1)) bytes += matmul_scratch(args.kernels, args.in[0].shape, w);
  return bytes;
}

class LinearRun {
 public:
  LinearRun(CpuContext& cx, const OpArgs& io) : cx_(cx), x_(io.in[0]), weights_(io.in.subspan(1)), y_(io.out) {}

  // Activations are converted where the weights before have not left them in the wanted form.
  void run() {
    MatmulInput input{};
    std::byte* scratch = cx_.scratch;
    for (size_t first = 0, end; first < weights_.size(); first = end) {
      input = prepare(cx_, x_, weights_[first], scratch);
      scratch += matmul_scratch(cx_.kernels, x_.shape(), weights_[first]);
      for (end = first + 1; end < weights_.size() && serves(cx_.kernels, input, weights_[end]);) ++end;
      multiply_by(first, end, input);
    }
  }

 private:
  // One fork-join for all of them: threads take outputs in the order of the weights, each of which ends a grain.
  void multiply_by(size_t first, size_t last, const MatmulInput& x) {
    LowRankPass adapters(cx_);
    int64_t grains = 0;
    for (size_t i = first; i < last; ++i) {
      adapters.add(i, i + 1, x_);
      grains += grains_of(weights_[i]);
    }
    adapters.guided(cx_.pool, grains, 1, [&](int64_t begin, int64_t end, int) {
      int64_t at = 0, column = column_;
      for (size_t i = first; i < last; ++i) {
        const TensorView& w = weights_[i];
        const int64_t from = std::max(begin - at, int64_t{0}) * kOutputGrain,
                      to = std::min((end - at) * kOutputGrain, w.rows());
        if (from < to) {
          float* const y = y_.as<float>() + column + from;
          multiply(cx_.kernels, w, x, y_.rows(), from, to, y, y_.row_step());
          adapters.up(i, from, to, y, y_.row_step());
        }
        at += grains_of(w);
        column += w.rows();
      }
    });
    for (size_t i = first; i < last; ++i) column_ += weights_[i].rows();
  }

  static int64_t grains_of(const TensorView& w) { return ceil_div(w.rows(), kOutputGrain); }

  CpuContext& cx_;
  const TensorView& x_;
  std::span<const TensorView> weights_;
  const TensorView& y_;
  int64_t column_ = 0;  // of the first of the weights that are multiplied by
};

void run(CpuContext& cx, const NoAttrs&, const OpArgs& io) { LinearRun(cx, io).run(); }

}  // namespace

extern const CpuOp cpu_linear;
const CpuOp cpu_linear = implement<NoAttrs, run, plan>(op_linear);

}  // namespace skald
