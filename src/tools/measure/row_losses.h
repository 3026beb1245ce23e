// RowLosses: the losses of rows of logits for the tokens that they should predict, computed by several threads.
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "stepping/compute.h"
#include "tools/measure/log_softmax.h"
#include "tools/measure/window_logits.h"

namespace skald {

/// One predicting position.
struct RowLoss {
  int64_t position;               // in its window
  std::span<const float> logits;  // (n_vocab)
  TokenId target;
  LogSoftmax softmax = {};

  double log_p(int64_t token) const { return static_cast<double>(logits[static_cast<size_t>(token)]) - softmax.log_sum; }
  double loss() const { return -log_p(target); }
};

class RowLosses {
 public:
  /// With as many threads as steps of a prompt have.
  RowLosses(const EngineOptions& options, const TokenChunks& text, int64_t n_vocab);

  /// Returns those of the rows that predict something, in order; valid until the next call and while the logits are. `also`,
  /// if given, is called for each by any thread: also(row, index). Throws kBadInput where a loss is not finite.
  template <class Also>
  std::span<const RowLoss> of(const WindowLogits& window, Also&& also) {
    collect(window);
    pool_.dynamic(static_cast<int64_t>(rows_.size()), [&](int64_t i, int) {
      RowLoss& row = rows_[static_cast<size_t>(i)];
      row.softmax = LogSoftmax(row.logits);
      also(row, i);
    });
    check(window);
    return rows_;
  }
  /// Returns how many these are.
  int64_t count(const WindowLogits& window) const;

 private:
  void collect(const WindowLogits& window);
  void check(const WindowLogits& window) const;

  ThreadPool pool_;
  const TokenChunks& text_;
  int64_t n_vocab_;
  std::vector<RowLoss> rows_;
};

}  // namespace skald
