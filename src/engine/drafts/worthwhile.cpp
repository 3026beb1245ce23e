#include "engine/drafts/worthwhile.h"

namespace skald {

static constexpr double kLeastGain = 1.03;  // what measurements of a step differ by

Worth worthwhile(const StepPrices& prices, const Bet& bet) {
  if (bet.likely <= 0) return {};
  const double plain = prices.of(bet.texts);
  Worth best{.gain = kLeastGain};
  double all_right = 1, tokens = 1;
  for (int64_t n = 1; n <= bet.most && plain > 0; ++n) {
    all_right *= bet.likely;
    tokens += all_right;
    double seconds = prices.of(bet.texts * (1 + n)) + static_cast<double>(n) * bet.guess_seconds;
    // Those that were right before a wrong one, and no fewer than one row more.
    if (bet.replays) seconds += (1 - all_right) * (prices.of(bet.texts * (1 + (n + 1) / 2)) - plain);
    if (const double gain = tokens * plain / seconds; gain > best.gain) best = {n, gain};
  }
  return best.guesses ? best : Worth{};
}

}  // namespace skald
