#include "sampling/grammar/alphabet_steps.h"

#include <algorithm>
#include <utility>

namespace skald {

namespace {

constexpr size_t kMaxStates = 16;  // that texts may lead to side by side

void tidy(std::vector<RegexId>& states) {
  std::ranges::sort(states);
  states.erase(std::ranges::unique(states).begin(), states.end());
}

// The states after a byte of a range; false if some byte leads to nothing.
bool add_targets(RegexSet& regexes, RegexId state, uint8_t first, uint8_t last, std::vector<RegexId>& out) {
  const BytePartition& classes = regexes.classes(state);
  const std::span<const RegexId> to = regexes.derivatives(state);
  bool all = true;
  for (unsigned b = first; b <= last; ++b) {
    if (b > first && classes.of[b] == classes.of[b - 1]) continue;
    const RegexId target = to[classes.of[b]];
    if (target == RegexSet::kNothing)
      all = false;
    else if (out.empty() || out.back() != target)
      out.push_back(target);
  }
  return all;
}

}  // namespace

AlphabetSteps::Step AlphabetSteps::make_step(RegexSet& regexes, RegexId state, size_t alphabet) {
  Step out;
  bool taken = false, refused = false;
  std::vector<RegexId> at, next;
  for (const Utf8Range& range : token_alphabet(alphabet)) {
    at.assign(1, state);
    for (size_t i = 0; i < static_cast<size_t>(range.length); ++i, at.swap(next)) {
      next.clear();
      for (const RegexId from : at) refused = !add_targets(regexes, from, range.first[i], range.last[i], next) || refused;
      tidy(next);
    }
    taken = taken || !at.empty();
    if ((taken && refused) || at.size() > kMaxStates) return {Taken::kSome, {}};
    out.to.insert(out.to.end(), at.begin(), at.end());
  }
  tidy(out.to);
  out.taken = !taken ? Taken::kNone : out.to.size() > kMaxStates ? Taken::kSome : Taken::kAll;
  return out;
}

const AlphabetSteps::Step& AlphabetSteps::step(RegexSet& regexes, RegexId state, size_t alphabet) {
  const auto [it, added] = known_.try_emplace(uint64_t{state} * kTokenAlphabets + alphabet);
  if (added) it->second = make_step(regexes, state, alphabet);
  return it->second;
}

// A repetition of single characters takes as many of them as it counts, whatever comes after it.
bool AlphabetSteps::repeats_long(RegexSet& regexes, RegexId state, size_t alphabet) {
  const RegexNode& node = regexes.node(state);
  const RegexNode head = node.kind == RegexKind::kConcat ? regexes.node(node.a) : node;
  if (head.kind != RegexKind::kRepeat || head.max < kMaxSliceCharacters) return false;
  const Step& one = step(regexes, head.a, alphabet);
  return one.taken == Taken::kAll && one.to.size() == 1 && one.to[0] == RegexSet::kEmpty;
}

AlphabetSteps::Reach AlphabetSteps::reach(RegexSet& regexes, RegexId state, size_t alphabet) {
  if (repeats_long(regexes, state, alphabet)) return {kMaxSliceCharacters, true};
  std::vector<RegexId> states{state}, next;
  bool ends = false;
  for (size_t n = 0; n < kMaxSliceCharacters; ++n) {
    bool all = true, none = true;
    next.clear();
    for (const RegexId from : states) {
      const Step& one = step(regexes, from, alphabet);
      all = all && one.taken == Taken::kAll;
      none = none && one.taken == Taken::kNone;
      next.insert(next.end(), one.to.begin(), one.to.end());
    }
    tidy(next);
    if (!all || next.size() > kMaxStates) return {n, none && !ends};
    if (next == states) break;
    states.swap(next);
    ends = ends || std::ranges::any_of(states, [&](RegexId id) { return regexes.nullable(id); });
  }
  return {kMaxSliceCharacters, true};
}

}  // namespace skald
