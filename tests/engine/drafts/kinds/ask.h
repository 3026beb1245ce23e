// One question to a drafter.
#pragma once

#include <vector>

#include "skald/drafter.h"

namespace skald::test {

inline std::vector<TokenId> ask(Drafter& drafter, TextDrafter& drafts, const std::vector<TokenId>& text, int64_t most) {
  DraftQuestion q{&drafts, text, most};
  drafter.guess({&q, 1});
  return q.guesses;
}

}  // namespace skald::test
