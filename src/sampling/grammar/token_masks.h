// TokenMasks: which tokens may follow in a state of a grammar: exactly those after which some sentence remains possible.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sampling/grammar/pushdown.h"
#include "sampling/grammar/terminal_tokens.h"

namespace skald {

/// For one thread at a time, with the automaton that it looks at.
class TokenMasks {
 public:
  explicit TokenMasks(std::shared_ptr<const GrammarVocabulary> vocabulary);

  /// Bit i % 32 of word i / 32 is that of token i; `mask` has vocabulary().words() of them.
  void fill(Pushdown& automaton, GrammarState state, std::span<uint32_t> mask);
  const GrammarVocabulary& vocabulary() const { return terminals_.vocabulary(); }

 private:
  // Where tokens go on after a terminal, in a slice's trie.
  struct Exit {
    GrammarState after;
    uint32_t slice, node;
    friend auto operator<=>(const Exit&, const Exit&) = default;
  };
  void add(Pushdown& automaton, FrameId after, const TerminalMask& terminal, std::span<uint32_t> mask);
  void leave(Pushdown& automaton, const Exit& exit, std::span<uint32_t> mask);

  TerminalTokens terminals_;
  std::vector<GrammarState> path_;
  std::vector<GrammarConfig> configs_;
  std::vector<Exit> exits_;
};

}  // namespace skald
