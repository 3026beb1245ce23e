#include "engine/drafts/step_prices.h"

#include <algorithm>

#include "engine/drafts/recent_seconds.h"

namespace skald {

// Costs of one more row, beside those of a step of one row: what it takes where nothing was measured. Steps whose arithmetic
// hides in the reading of weights cost less.
static constexpr double kUnknownRow = 0.25;

// A longer context makes all steps longer, and their ratios change slowly: these are kept.
void StepPrices::note(int64_t rows, double seconds) {
  if (row_ <= 0) row_ = seconds / ratio(rows);
  if (rows == 1)
    move_to(row_, seconds);
  else if (rows <= kMostRows)
    move_to(ratios_[static_cast<size_t>(rows)], seconds / row_);
}

double StepPrices::of(int64_t rows) const { return row_ * ratio(rows); }

double StepPrices::ratio(int64_t rows) const {
  int64_t below = 1, above = rows;
  double low = 1;
  for (int64_t r = 2; r <= std::min(rows, kMostRows); ++r)
    if (const double known = ratios_[static_cast<size_t>(r)]; known > 0) below = r, low = known;
  if (below == rows) return low;
  while (above <= kMostRows && !(ratios_[static_cast<size_t>(above)] > 0)) ++above;
  const double slope = above <= kMostRows ? (ratios_[static_cast<size_t>(above)] - low) / static_cast<double>(above - below)
                       : below > 1        ? (low - 1) / static_cast<double>(below - 1)
                                          : kUnknownRow;
  return low + std::max(0.0, slope) * static_cast<double>(rows - below);
}

}  // namespace skald
