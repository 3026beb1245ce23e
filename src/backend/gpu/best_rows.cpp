#include "backend/gpu/best_rows.h"

#include "base/checked.h"
#include "graph/output_names.h"

namespace skald::gpu {

bool BestRows::suits(const Graph& graph, const GraphOutput& out) {
  const ValueDesc& logits = graph.node(out.node).out;
  return out.name == output_names::kLogits && logits.rows == Rows::kOutputs && logits.shape[0] <= kMostRows;
}

int64_t BestRows::scratch(const TensorDesc& logits) {
  return logits.shape[0] * ceil_div(logits.shape.back(), BestPart::kTokens) * kBytesOf<BestPart>;
}

BestRows::BestRows(Device& device, const TensorDesc& logits)
    : device_(device), out_(device, logits.shape[0] * kBytesOf<BestTokens>, Use::kWork) {}

void BestRows::record(const GpuContext& cx, const TensorView& logits, std::byte* scratch, int* counters) {
  BestTokensArgs args{.rows = cx.block.outputs(), .x = matrix(logits), .n = static_cast<int>(logits.cols())};
  args.parts = reinterpret_cast<BestPart*>(scratch);
  args.counters = counters;
  args.out = reinterpret_cast<BestTokens*>(out_.data());
  cx.kernels.best_tokens(cx.stream, args, logits.rows());
}

std::span<const BestTokens> BestRows::read(int64_t rows) {
  rows_.resize(static_cast<size_t>(rows));
  device_.read(reinterpret_cast<std::byte*>(rows_.data()), out_.data(), rows * kBytesOf<BestTokens>);
  return rows_;
}

}  // namespace skald::gpu
