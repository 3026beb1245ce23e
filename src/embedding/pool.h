// Pool: one vector of the states of a text's tokens, which may come in several steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skald/pooling.h"
#include "stepping/logits.h"

namespace skald {

class Pool {
 public:
  /// `pooling`: kMean, kCls or kLast, or kNone, which keeps all states.
  Pool(Pooling pooling, int64_t d) : pooling_(pooling), values_(pooling == Pooling::kNone ? 0 : static_cast<size_t>(d)) {}

  /// Of `rows` tokens that are read next: the last ones whose states add() needs. `ends`: no more tokens follow.
  int64_t outputs(int64_t rows, bool ends) const;
  /// The states in rows [first, first + n) of `states`, as outputs() asked for them.
  void add(const Logits& states, int64_t first, int64_t n);
  /// Takes the vector (d); of kNone (tokens, d). To be asked for once.
  std::vector<float> take();

 private:
  Pooling pooling_;
  int64_t tokens_ = 0;          // that were added
  std::vector<double> values_;  // kMean: sums
  std::vector<float> all_;      // kNone
};

/// x / |x|; zeros stay.
void normalise(std::span<float> x);

}  // namespace skald
