// TerminalTokens: which tokens stay inside of a terminal, and where others leave it. That depends on the terminal's state
// alone, not on what is open around it, so that it is found once for all places where a string, say, may stand.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "sampling/grammar/alphabet_steps.h"
#include "sampling/grammar/grammar_vocabulary.h"
#include "sampling/grammar/regex_set.h"

namespace skald {

struct TerminalMask {
  /// A node of a slice's trie where the terminal may end though tokens go on.
  struct Exit {
    uint32_t slice, node;
  };
  std::vector<TokenId> tokens;  // that stay inside, of each text the first; or
  std::vector<uint32_t> dense;  // a mask, where they are many
  std::vector<Exit> exits;
  size_t memory() const {
    return sizeof(*this) + 64 + (tokens.capacity() + dense.capacity()) * 4 + exits.capacity() * sizeof(Exit);
  }
};

/// For one thread at a time.
class TerminalTokens {
 public:
  explicit TerminalTokens(std::shared_ptr<const GrammarVocabulary> vocabulary);

  /// Of a state of a terminal; all but long tokens, and those. Valid until the next call of either.
  const TerminalMask& short_tokens(RegexSet& regexes, RegexId state);
  const TerminalMask& long_tokens(RegexSet& regexes, RegexId state);
  /// Forgets what it knows if that takes too much memory.
  void limit_memory();
  const GrammarVocabulary& vocabulary() const { return *vocabulary_; }
  /// Nodes of tries that were looked at since the last call.
  uint64_t take_walked() { return std::exchange(walked_, 0); }

 private:
  // What was found, by state.
  struct Known {
    std::vector<uint32_t> index;  // in `masks`, plus 1
    std::deque<TerminalMask> masks;
    const TerminalMask* find(RegexId state) const {
      return state < index.size() && index[state] != 0 ? &masks[index[state] - 1] : nullptr;
    }
    /// The state has the mask with this number.
    void set(RegexId state, uint32_t number) {
      if (state >= index.size()) index.resize(std::max<size_t>(state + 1, index.size() * 2));
      index[state] = number;
    }
  };

  template <class Make>
  const TerminalMask& find_or_make(Known& known, RegexSet& regexes, RegexId state, uint32_t bytes, Make&& make);
  std::array<bool, kTokenAlphabets> add_whole_alphabets(RegexSet& regexes, RegexId state, TerminalMask& out);
  void find_live_bytes(RegexSet& regexes, RegexId state);
  void walk(RegexSet& regexes, RegexId state, size_t slice, TerminalMask& out);

  std::shared_ptr<const GrammarVocabulary> vocabulary_;
  AlphabetSteps steps_;
  Known short_, long_;
  std::vector<RegexId> path_;
  std::vector<uint8_t> live_;  // bytes that the state takes which is looked at
  size_t memory_ = 0;
  uint64_t walked_ = 0;
};

}  // namespace skald
