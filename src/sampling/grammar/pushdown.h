// Pushdown: the automaton of a grammar over bytes. A state is a set of configurations: how far a terminal has come, and
// where to go on after it, with all that is open around it. Stacks are shared and stored once (a graph-structured stack;
// Scott and Johnstone, "GLL Parsing", 2010), so that a state is a number: equal futures are equal states, a copy or a step
// back costs nothing, and ambiguous grammars stay small. States and transitions are made when they are first needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sampling/grammar/intern_table.h"
#include "sampling/grammar/pushdown_program.h"

namespace skald {

using GrammarState = uint32_t;
using FrameId = uint32_t;

/// A terminal from whose language the text may still come, and where to go on after it.
struct GrammarConfig {
  RegexId terminal;
  FrameId after;
  uint64_t hash() const { return uint64_t{terminal} << 32 | after; }
  friend auto operator<=>(const GrammarConfig&, const GrammarConfig&) = default;
};

/// Not for several threads at once. Throws kBadInput ("too large") where states take too much memory, and where what is done
/// at a time is too much: a request that waits for one text's next token must not wait for a grammar.
class Pushdown {
 public:
  /// In which no text fits any more.
  static constexpr GrammarState kDead = 0;

  explicit Pushdown(PushdownProgram program);

  GrammarState start() const { return start_; }
  /// Whether the text may end here.
  bool accepts(GrammarState state) const { return states_[state].accepts; }
  /// The state after a byte; kDead exactly if no sentence goes on so.
  GrammarState step(GrammarState state, uint8_t byte) {
    const State& s = states_[state];
    if (s.targets == kNoTargets) return first_step(state, byte);
    const GrammarState to = targets_[s.targets + program_.regexes().partition(s.partition).of[byte]];
    return to != kUnknown ? to : make_step(state, byte);
  }
  /// To be called before what is done at a time. A text's first mask may take about 2 s: its submitter waits for that.
  /// Later ones, for which others' tokens wait, about half of one.
  void begin_work(bool first = false) { regexes().set_work(first ? kMostWorkFirst : kMostWork); }
  void add_work(uint64_t work) { regexes().add_work(work); }

  static constexpr int kNoByte = -1, kSeveralBytes = -2;
  /// The one byte that can follow, or how many there are.
  int next_byte(GrammarState state);
  /// What a state is made of. Valid until the next step.
  std::span<const GrammarConfig> configs(GrammarState state) const { return config_lists_[states_[state].configs]; }
  /// The bytes that a state treats alike.
  const BytePartition& classes(GrammarState state);
  /// The state right after a terminal's text.
  GrammarState after(FrameId frame);

  RegexSet& regexes() { return program_.regexes(); }
  size_t states() const { return states_.size(); }
  size_t memory() const;

 private:
  static constexpr uint64_t kMostWork = uint64_t{1} << 26, kMostWorkFirst = uint64_t{1} << 28;
  static constexpr uint32_t kNoTargets = ~uint32_t{0}, kUnknown = ~uint32_t{0};
  struct State {
    uint32_t configs;  // of config_lists_
    bool accepts;
    uint32_t partition = 0, targets = kNoTargets;
  };
  struct StateKey {
    uint32_t configs;
    uint32_t accepts;
    uint64_t hash() const { return uint64_t{configs} << 1 | accepts; }
    bool operator==(const StateKey&) const = default;
  };
  // Where a rule or terminal goes on when it is done: an item, rounds of its repetition, and the calls around it.
  struct Frame {
    ItemId item;
    uint32_t rounds;
    uint32_t node;  // of node_lists_
    uint64_t hash() const { return (uint64_t{item} << 32 | node) * 0x9E3779B97F4A7C15u + rounds; }
    bool operator==(const Frame&) const = default;
  };
  struct FrameRef {
    FrameId id;
    uint64_t hash() const { return id; }
    friend auto operator<=>(const FrameRef&, const FrameRef&) = default;
  };

  GrammarState first_step(GrammarState state, uint8_t byte);
  GrammarState make_step(GrammarState state, uint8_t byte);
  void need_targets(GrammarState state);
  FrameId frame(ItemId item, uint32_t rounds, uint32_t node);
  void forget();
  void resume(FrameId frame);
  void close();
  void go_on(FrameId frame);
  void call(RuleId rule, std::span<const FrameRef> after);
  void enter_rules();
  void open(const GrammarLeaf& leaf, uint32_t node);
  GrammarState finish();
  void check_memory() const;

  PushdownProgram program_;
  InternTable<Frame> frames_;  // lists of one
  InternTable<FrameRef> node_lists_;
  InternTable<GrammarConfig> config_lists_;
  InternTable<StateKey> state_keys_;
  std::vector<State> states_;
  std::vector<GrammarState> targets_;
  std::vector<GrammarState> behind_;  // of frames
  GrammarState start_ = kDead;

  // Of the state that is being made:
  std::vector<GrammarConfig> configs_;
  std::vector<FrameId> to_resume_;
  std::vector<uint32_t> resumed_;  // round in which a frame was resumed
  uint32_t round_ = 0;
  bool accepts_ = false;
  std::vector<std::vector<FrameRef>> callers_;       // of rules
  std::vector<std::pair<uint32_t, RuleId>> called_;  // order and rule: a heap
};

}  // namespace skald
