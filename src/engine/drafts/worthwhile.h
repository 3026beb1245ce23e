// How many guesses a step is worth.
#pragma once

#include <cstdint>

#include "engine/drafts/step_prices.h"

namespace skald {

struct Bet {
  double likely;             // the probability that a guess after right ones is right
  int64_t most;              // guesses
  int64_t texts = 1;         // that guess as many each, in one step
  double guess_seconds = 0;  // what each guess of a text costs
  bool replays = false;      // wrong guesses make the next step compute the right ones again
};

struct Worth {
  int64_t guesses = 0;
  double gain = 1;  // tokens a second, in times of those without guesses
};

/// Returns the best number of guesses; 0 where none gains enough to be sure of it.
Worth worthwhile(const StepPrices& prices, const Bet& bet);

}  // namespace skald
