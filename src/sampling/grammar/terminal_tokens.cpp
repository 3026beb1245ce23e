#include "sampling/grammar/terminal_tokens.h"

#include <algorithm>
#include <utility>

namespace skald {

namespace {
constexpr size_t kMaxTokenMemory = size_t{64} << 20;
constexpr size_t kFewBytes = 26;  // with fewer, no alphabet is taken whole
}  // namespace

TerminalTokens::TerminalTokens(std::shared_ptr<const GrammarVocabulary> vocabulary)
    : vocabulary_(std::move(vocabulary)), path_(vocabulary_->depth() + 1) {}

// Adds the tokens of alphabets that the state takes whole, up to some length; says of which nothing else can stay inside.
std::array<bool, kTokenAlphabets> TerminalTokens::add_whole_alphabets(RegexSet& regexes, RegexId state, TerminalMask& out) {
  std::array<bool, kTokenAlphabets> done{};
  if (live_.size() < kFewBytes) return done;
  size_t added = 0;
  for (size_t a = kTokenAlphabets; a-- > 0;) {
    const AlphabetSteps::Reach reached = steps_.reach(regexes, state, a);
    if (reached.whole > added) {
      const auto mask = vocabulary_->up_to(a, added = reached.whole);
      out.dense.resize(mask.size());
      for (size_t i = 0; i < mask.size(); ++i) out.dense[i] |= mask[i];
    }
    if (!reached.exact) continue;
    // What holds for all characters of an alphabet holds for those of smaller ones.
    std::fill(done.begin(), done.begin() + static_cast<ptrdiff_t>(a) + 1, true);
    break;
  }
  return done;
}

void TerminalTokens::find_live_bytes(RegexSet& regexes, RegexId state) {
  const BytePartition& classes = regexes.classes(state);
  const auto to = regexes.derivatives(state);
  live_.clear();
  for (unsigned b = 0; b < 256; ++b) {
    if (to[classes.of[b]] != RegexSet::kNothing) live_.push_back(static_cast<uint8_t>(b));
  }
}

void TerminalTokens::walk(RegexSet& regexes, RegexId state, size_t slice, TerminalMask& out) {
  const TokenTrie& trie = vocabulary_->trie(slice);
  const std::vector<TokenTrie::Node>& nodes = trie.nodes();
  if (nodes.empty()) return;
  path_[0] = state;
  for (const uint8_t byte : live_) {
    uint32_t i = trie.first(byte);
    if (i == TokenTrie::kNone) continue;
    for (const uint32_t end = nodes[i].end; i < end; ++walked_) {
      const TokenTrie::Node& node = nodes[i];
      const RegexId to = regexes.derivative(path_[node.depth - 1], node.byte);
      if (to == RegexSet::kNothing) {
        i = node.end;
        continue;
      }
      path_[node.depth] = to;
      if (node.token >= 0) out.tokens.push_back(node.token);
      if (node.end > i + 1 && regexes.nullable(to)) out.exits.push_back({static_cast<uint32_t>(slice), i});
      i = to == RegexSet::kEmpty ? node.end : i + 1;
    }
  }
}

template <class Make>
const TerminalMask& TerminalTokens::find_or_make(Known& known, RegexSet& regexes, RegexId state, uint32_t bytes,
                                                 Make&& make) {
  constexpr size_t kFewTokens = 16;  // one of this many words
  if (const TerminalMask* mask = known.find(state)) return *mask;
  // States that differ in what comes later only share a mask.
  const RegexId shared = regexes.capped(state, bytes);
  if (!known.find(shared)) {
    find_live_bytes(regexes, shared);
    TerminalMask mask = make(shared);
    if (!mask.dense.empty() || mask.tokens.size() > vocabulary_->words() / kFewTokens) {
      mask.dense.resize(vocabulary_->words());
      for (const TokenId token : std::exchange(mask.tokens, {})) vocabulary_->set(mask.dense, token);
    }
    memory_ += mask.memory();
    known.masks.push_back(std::move(mask));
    known.set(shared, static_cast<uint32_t>(known.masks.size()));
  }
  known.set(state, known.index[shared]);
  return *known.find(state);
}

const TerminalMask& TerminalTokens::short_tokens(RegexSet& regexes, RegexId state) {
  return find_or_make(short_, regexes, state, kMaxSliceBytes, [&](RegexId shared) {
    TerminalMask mask;
    const auto done = add_whole_alphabets(regexes, shared, mask);
    for (size_t i = 0; i < kTokenAlphabets; ++i) {
      if (!done[i]) walk(regexes, shared, i, mask);
    }
    walk(regexes, shared, kOtherTokens, mask);
    return mask;
  });
}

const TerminalMask& TerminalTokens::long_tokens(RegexSet& regexes, RegexId state) {
  return find_or_make(long_, regexes, state, static_cast<uint32_t>(vocabulary_->depth()), [&](RegexId shared) {
    TerminalMask mask;
    walk(regexes, shared, kLongTokens, mask);
    return mask;
  });
}

void TerminalTokens::limit_memory() {
  if (memory_ + steps_.memory() <= kMaxTokenMemory) return;
  short_ = {};
  long_ = {};
  steps_.clear();
  memory_ = 0;
}

}  // namespace skald
