// StepCost: the seconds that prompts add to the other work of a step, by recent steps.
#pragma once

#include <cstdint>

namespace skald {

/// Rows of prompts in a step.
struct PromptWork {
  double rows = 0;
  double keys = 0;  // that the rows see, added up

  /// Of `tokens` from a position on.
  static PromptWork of(int64_t position, int64_t tokens) {
    const auto n = static_cast<double>(tokens);
    return {n, n * (static_cast<double>(position) + (n + 1) / 2)};
  }
  PromptWork& operator+=(const PromptWork& more) {
    rows += more.rows;
    keys += more.keys;
    return *this;
  }
};

class StepCost {
 public:
  /// A step took so long.
  void note(const PromptWork& prompts, bool generates, double seconds);
  /// Returns the seconds that prompts add to a step; infinite before one was measured.
  double seconds(const PromptWork& prompts) const;
  /// Returns the seconds of a step without prompts; 0 before one was measured.
  double generating() const { return generating_; }

 private:
  void fit();

  double generating_ = 0, per_row_ = 0, per_key_ = 0;
  bool known_ = false;
  // Sums of products over the last steps, the newest counting most: rows, keys, seconds.
  double rr_ = 0, rk_ = 0, kk_ = 0, rs_ = 0, ks_ = 0;
};

}  // namespace skald
