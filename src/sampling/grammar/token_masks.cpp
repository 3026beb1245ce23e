#include "sampling/grammar/token_masks.h"

#include <algorithm>
#include <utility>

namespace skald {

// Of a node, an exit and a configuration, in known steps.
static constexpr uint64_t kTerminalWork = 4, kExitWork = 4, kConfigWork = 16;
static constexpr size_t kFewConfigs = 8;

TokenMasks::TokenMasks(std::shared_ptr<const GrammarVocabulary> vocabulary)
    : terminals_(std::move(vocabulary)), path_(terminals_.vocabulary().depth() + 1) {}

// Tokens that go on where a terminal ended: below a node of a trie.
void TokenMasks::leave(Pushdown& automaton, const Exit& exit, std::span<uint32_t> mask) {
  const std::vector<TokenTrie::Node>& nodes = vocabulary().trie(exit.slice).nodes();
  const uint32_t end = nodes[exit.node].end;
  uint64_t work = 1;
  path_[nodes[exit.node].depth] = exit.after;
  for (uint32_t i = exit.node + 1; i < end; ++work) {
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
  automaton.add_work(work);
}

void TokenMasks::add(Pushdown& automaton, FrameId after, const TerminalMask& terminal, std::span<uint32_t> mask) {
  for (size_t i = 0; i < terminal.dense.size(); ++i) mask[i] |= terminal.dense[i];
  for (const TokenId token : terminal.tokens) vocabulary().set(mask, token);
  if (terminal.exits.empty()) return;
  const GrammarState state = automaton.after(after);
  if (automaton.configs(state).empty()) return;  // the text ends there
  automaton.add_work(kExitWork * terminal.exits.size());
  for (const TerminalMask::Exit exit : terminal.exits) exits_.push_back({state, exit.slice, exit.node});
}

void TokenMasks::fill(Pushdown& automaton, GrammarState state, std::span<uint32_t> mask) {
  std::ranges::fill(mask, 0u);
  automaton.begin_work(state == automaton.start());
  terminals_.limit_memory();
  exits_.clear();
  configs_.assign(automaton.configs(state).begin(), automaton.configs(state).end());
  automaton.add_work(kConfigWork * configs_.size());
  for (const GrammarConfig& config : configs_) {
    add(automaton, config.after, terminals_.short_tokens(automaton.regexes(), config.terminal), mask);
    add(automaton, config.after, terminals_.long_tokens(automaton.regexes(), config.terminal), mask);
    automaton.add_work(terminals_.take_walked() * kTerminalWork);
  }
  // In ambiguous grammars many terminals end at the same place, with the same to come: it is left once.
  if (configs_.size() > kFewConfigs) {
    std::ranges::sort(exits_);
    exits_.erase(std::ranges::unique(exits_).begin(), exits_.end());
  }
  for (const Exit& exit : exits_) leave(automaton, exit, mask);
}

}  // namespace skald
