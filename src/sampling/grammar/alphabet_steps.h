// AlphabetSteps: how many characters of an alphabet a state takes, whichever they are.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sampling/grammar/regex_set.h"
#include "sampling/grammar/token_slices.h"

namespace skald {

class AlphabetSteps {
 public:
  struct Reach {
    size_t whole = 0;    // every text of up to this many characters is taken; at most kMaxSliceCharacters
    bool exact = false;  // and no longer one, nor does the expression end in between
  };
  Reach reach(RegexSet& regexes, RegexId state, size_t alphabet);
  void clear() { known_.clear(); }
  size_t memory() const { return known_.size() * 128; }

 private:
  enum class Taken : uint8_t { kAll, kSome, kNone };
  // What one character does: which of them are taken, and the states that they lead to.
  struct Step {
    Taken taken = Taken::kNone;
    std::vector<RegexId> to;
  };
  const Step& step(RegexSet& regexes, RegexId state, size_t alphabet);
  bool repeats_long(RegexSet& regexes, RegexId state, size_t alphabet);
  static Step make_step(RegexSet& regexes, RegexId state, size_t alphabet);

  std::unordered_map<uint64_t, Step> known_;
};

}  // namespace skald
