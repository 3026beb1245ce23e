#include "sampling/grammar/token_masks.h"

#include <algorithm>
#include <utility>

namespace skald {

TokenMasks::TokenMasks(std::shared_ptr<const GrammarVocabulary> vocabulary)
    : terminals_(std::move(vocabulary)), path_(terminals_.vocabulary().depth() + 1) {}

// Tokens that go on where a terminal ended: below a node of a trie.
void TokenMasks::leave(Pushdown& automaton, GrammarState behind, TerminalMask::Exit exit, std::span<uint32_t> mask) {
  const std::vector<TokenTrie::Node>& nodes = vocabulary().trie(exit.slice).nodes();
  const uint32_t end = nodes[exit.node].end;
  path_[nodes[exit.node].depth] = behind;
  for (uint32_t i = exit.node + 1; i < end;) {
    const TokenTrie::Node& node = nodes[i];
    const GrammarState to = automaton.step(path_[node.depth - 1], node.byte);
    if (to == Pushdown::kDead) {
      i = node.end;
      continue;
    }
    path_[node.depth] = to;
    if (node.token >= 0) vocabulary().set(mask, node.token);
    ++i;
  }
}

void TokenMasks::add(Pushdown& automaton, FrameId behind, const TerminalMask& terminal, std::span<uint32_t> mask) {
  for (size_t i = 0; i < terminal.dense.size(); ++i) mask[i] |= terminal.dense[i];
  for (const TokenId token : terminal.tokens) vocabulary().set(mask, token);
  if (terminal.exits.empty()) return;
  const GrammarState state = automaton.behind(behind);
  if (automaton.configs(state).empty()) return;  // the text ends there
  for (const TerminalMask::Exit exit : terminal.exits) leave(automaton, state, exit, mask);
}

void TokenMasks::fill(Pushdown& automaton, GrammarState state, std::span<uint32_t> mask) {
  std::ranges::fill(mask, 0u);
  terminals_.limit_memory();
  configs_.assign(automaton.configs(state).begin(), automaton.configs(state).end());
  for (const GrammarConfig& config : configs_) {
    add(automaton, config.behind, terminals_.short_tokens(automaton.regexes(), config.terminal), mask);
    add(automaton, config.behind, terminals_.long_tokens(automaton.regexes(), config.terminal), mask);
  }
}

}  // namespace skald
