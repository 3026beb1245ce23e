// StepPrices: how long steps take by the generated rows that they compute, as recent ones did.
#pragma once

#include <array>
#include <cstdint>

namespace skald {

class StepPrices {
 public:
  /// A step of `rows` (> 0) generated rows, and no others, took so long.
  void note(int64_t rows, double seconds);
  /// Returns the seconds of such a step; 0 before any was noted. Between row counts that were noted it is on the line
  /// between them.
  double of(int64_t rows) const;

 private:
  static constexpr int64_t kMostRows = 128;
  double ratio(int64_t rows) const;

  double row_ = 0;                              // seconds of a step of one row
  std::array<double, kMostRows + 1> ratios_{};  // of a step of these rows to one of one row; 0: unknown
};

}  // namespace skald
