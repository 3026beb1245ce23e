#include "tools/measure/row_losses.h"

#include <algorithm>
#include <cmath>

#include "base/cpu_placement.h"
#include "base/error.h"

namespace skald {
namespace {

ThreadPlan pool_plan(const EngineOptions& options) { return plan_threads(options.device, this_machine()); }

}  // namespace

RowLosses::RowLosses(const EngineOptions& options, const TokenChunks& text, int64_t n_vocab)
    : pool_(pool_plan(options).threads_batch), text_(text), n_vocab_(n_vocab) {}

int64_t RowLosses::count(const WindowLogits& window) const {
  const int64_t begin = std::max(window.first, text_.first), end = std::min(window.first + window.rows, text_.n_ctx - 1);
  return std::max<int64_t>(end - begin, 0);
}

void RowLosses::collect(const WindowLogits& window) {
  rows_.clear();
  const int64_t begin = std::max(window.first, text_.first);
  for (int64_t i = begin; i < begin + count(window); ++i) {
    const float* logits = window.values + (i - window.first) * n_vocab_;
    rows_.push_back({i, {logits, static_cast<size_t>(n_vocab_)}, text_.target(window.chunk, i)});
  }
}

void RowLosses::check(const WindowLogits& window) const {
  for (const RowLoss& row : rows_)
    if (!std::isfinite(row.loss()))
      fail(Errc::kBadInput, "window {}: the model gives token {} after position {} no finite probability", window.chunk + 1,
           row.target, row.position);
}

}  // namespace skald
