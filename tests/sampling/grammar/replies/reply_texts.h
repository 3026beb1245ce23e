// Replies that a grammar takes: asked for one by one, or drawn at random.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/grammar/pushdown.h"
#include "sampling/grammar/read_grammar.h"

namespace skald::reply_grammar_test {

class ReplyTexts {
 public:
  explicit ReplyTexts(const GrammarParams& params, const MarkerSpelling& markers = {})
      : automaton_(PushdownProgram(read_grammar(
            params, [this](std::string text) { warnings_.push_back(std::move(text)); }, markers))) {}

  bool takes(std::string_view text) {
    const GrammarState state = after(text);
    return state != Pushdown::kDead && automaton_.accepts(state);
  }
  bool begins(std::string_view text) { return after(text) != Pushdown::kDead; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// Returns `text`, `bytes` random bytes, each of those that may follow, and the shortest way to an end.
  std::string drawn(uint32_t seed, int bytes, std::string text = "") {
    std::mt19937 random(seed);
    GrammarState state = after(text);
    for (int i = 0; i < bytes && !(automaton_.accepts(state) && random() % 8 == 0); ++i) {
      const std::vector<uint8_t> next = following(state);
      if (next.empty()) break;
      const uint8_t byte = next[random() % next.size()];
      text += static_cast<char>(byte);
      state = automaton_.step(state, byte);
    }
    return text + shortest_end(state);
  }

 private:
  GrammarState after(std::string_view text) {
    GrammarState state = automaton_.start();
    for (const char c : text) state = automaton_.step(state, static_cast<uint8_t>(c));
    return state;
  }

  // Of bytes that a state treats alike some.
  std::vector<uint8_t> following(GrammarState state) {
    const BytePartition classes = automaton_.classes(state);
    std::map<GrammarState, std::vector<uint8_t>> by_target;
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned b = (i + 'a') % 256;
      if (i != 0 && b != 0 && classes.of[b] == classes.of[b - 1] && b % 16 != 1) continue;
      const GrammarState to = automaton_.step(state, static_cast<uint8_t>(b));
      if (to != Pushdown::kDead && b != 0xFF && by_target[to].size() < 2) by_target[to].push_back(static_cast<uint8_t>(b));
    }
    std::vector<uint8_t> out;
    for (const auto& [to, bytes] : by_target) out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
  }

  std::string shortest_end(GrammarState from) {
    std::map<GrammarState, std::pair<GrammarState, uint8_t>> came{{from, {from, 0}}};
    std::deque<GrammarState> open{from};
    for (; !open.empty(); open.pop_front()) {
      const GrammarState at = open.front();
      if (automaton_.accepts(at)) return way(came, from, at);
      for (const uint8_t byte : following(at)) {
        const GrammarState to = automaton_.step(at, byte);
        if (came.try_emplace(to, at, byte).second) open.push_back(to);
      }
    }
    return "[no end]";
  }

  static std::string way(const std::map<GrammarState, std::pair<GrammarState, uint8_t>>& came, GrammarState from,
                         GrammarState at) {
    std::string out;
    for (; at != from; at = came.at(at).first) out += static_cast<char>(came.at(at).second);
    return {out.rbegin(), out.rend()};
  }

  std::vector<std::string> warnings_;
  Pushdown automaton_;
};

}  // namespace skald::reply_grammar_test
