#include "sampling/grammar/pushdown.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"

namespace skald {

namespace {
constexpr size_t kMaxStateMemory = size_t{384} << 20;
constexpr uint64_t kStepWork = 16;  // of a new step, for each thing that it looks at
using LeafKind = GrammarLeaf::Kind;
}  // namespace

Pushdown::Pushdown(PushdownProgram program) : program_(std::move(program)) {
  callers_.resize(program_.rules());
  finish();  // the state without configurations is the dead one
  const FrameRef accept{frame(PushdownProgram::kAcceptItem, 0, 0)};
  call(program_.start(), std::span(&accept, 1));
  if (program_.rule(program_.start()).nullable) resume(accept.id);
  close();
  start_ = finish();
}

FrameId Pushdown::frame(ItemId item, uint32_t rounds, uint32_t node) {
  const Frame frame{item, rounds, node};
  return frames_.intern(std::span(&frame, 1));
}

void Pushdown::resume(FrameId frame) {
  if (frame >= resumed_.size()) resumed_.resize(std::max<size_t>(frame + 1, resumed_.size() * 2));
  if (std::exchange(resumed_[frame], round_ + 1) != round_ + 1) to_resume_.push_back(frame);
}

void Pushdown::call(RuleId rule, std::span<const FrameRef> after) {
  auto& callers = callers_[rule];
  if (callers.empty()) {
    called_.emplace_back(program_.rule(rule).order, rule);
    std::ranges::push_heap(called_, std::greater<>());
  }
  callers.insert(callers.end(), after.begin(), after.end());
}

// What a leaf of an item adds, inside of the calls that `node` stands for.
void Pushdown::open(const GrammarLeaf& leaf, uint32_t node) {
  if (leaf.kind == LeafKind::kTerminal) {
    configs_.push_back({leaf.what, frame(leaf.next, 0, node)});
  } else if (leaf.kind == LeafKind::kCall && leaf.tail) {
    // A rule that comes back goes on around the caller at once: lists that are rules of themselves do not pile up.
    const std::vector<FrameRef> around(node_lists_[node].begin(), node_lists_[node].end());
    call(leaf.what, around);
  } else if (leaf.kind == LeafKind::kCall || leaf.kind == LeafKind::kRepeat) {
    const FrameRef after{frame(leaf.next, leaf.kind == LeafKind::kRepeat ? 1 : 0, node)};
    call(leaf.what, std::span(&after, 1));
  }
}

void Pushdown::go_on(FrameId id) {
  const Frame at = frames_[id][0];
  const std::span<const GrammarLeaf> now = program_.leaves(at.item);
  add_work(now.size());
  for (size_t i = 0; i < now.size(); ++i) {
    const GrammarLeaf leaf = now[i];
    if (leaf.kind == LeafKind::kAccept) {
      accepts_ = true;
    } else if (leaf.kind == LeafKind::kEnd) {
      for (const FrameRef around : node_lists_[at.node]) resume(around.id);
    } else if (leaf.kind == LeafKind::kAgain) {
      // Without an upper bound only the first rounds are told apart.
      const uint32_t most = leaf.max == GrammarLeaf::kNoMax ? leaf.min : leaf.max;
      const bool more = leaf.max == GrammarLeaf::kNoMax || at.rounds < leaf.max;
      const FrameRef again{frame(at.item, std::min(at.rounds + 1, most), at.node)};
      if (more) call(leaf.what, std::span(&again, 1));
      if (at.rounds >= leaf.min) resume(frame(leaf.next, 0, at.node));
    } else {
      open(leaf, at.node);
    }
  }
}

// Rules are entered once all calls of them are known: those that begin with others come first.
void Pushdown::enter_rules() {
  while (!called_.empty()) {
    std::ranges::pop_heap(called_, std::greater<>());
    const RuleId rule = called_.back().second;
    called_.pop_back();
    std::vector<FrameRef>& callers = callers_[rule];
    std::ranges::sort(callers);
    callers.erase(std::ranges::unique(callers).begin(), callers.end());
    const uint32_t node = node_lists_.intern(callers);
    callers.clear();
    // The caller of a rule that may be empty goes on after it by itself: its own end says nothing here.
    for (const GrammarLeaf& leaf : program_.leaves(program_.rule(rule).entry)) open(leaf, node);
  }
}

// What was begun when an error came is forgotten.
void Pushdown::forget() {
  configs_.clear();
  to_resume_.clear();
  for (const auto& [order, rule] : called_) callers_[rule].clear();
  called_.clear();
  accepts_ = false;
  ++round_;
}

void Pushdown::close() {
  while (!to_resume_.empty()) {
    const FrameId frame = to_resume_.back();
    to_resume_.pop_back();
    go_on(frame);
  }
  enter_rules();
}

GrammarState Pushdown::finish() {
  ++round_;
  std::ranges::sort(configs_);
  configs_.erase(std::ranges::unique(configs_).begin(), configs_.end());
  const StateKey key{config_lists_.intern(configs_), std::exchange(accepts_, false) ? 1u : 0u};
  configs_.clear();
  const uint32_t id = state_keys_.intern(std::span(&key, 1)) - 1;
  if (id == states_.size()) {
    if (id % 256 == 0) check_memory();
    states_.push_back({.configs = key.configs, .accepts = key.accepts != 0});
  }
  return id;
}

void Pushdown::need_targets(GrammarState state) {
  if (states_[state].targets != kNoTargets) return;
  std::vector<RegexId> terminals;
  for (const GrammarConfig& config : configs(state)) {
    if (terminals.empty() || terminals.back() != config.terminal) terminals.push_back(config.terminal);
  }
  State& s = states_[state];
  s.partition = regexes().common_partition(terminals);
  s.targets = static_cast<uint32_t>(targets_.size());
  targets_.resize(targets_.size() + regexes().partition(s.partition).count, kUnknown);
}

const BytePartition& Pushdown::classes(GrammarState state) {
  need_targets(state);
  return regexes().partition(states_[state].partition);
}

GrammarState Pushdown::first_step(GrammarState state, uint8_t byte) {
  need_targets(state);
  return make_step(state, byte);
}

GrammarState Pushdown::make_step(GrammarState state, uint8_t byte) {
  forget();
  const size_t n = configs(state).size();
  add_work(kStepWork * (n + 1));
  for (size_t i = 0; i < n; ++i) {
    const GrammarConfig config = configs(state)[i];
    const RegexId to = regexes().derivative(config.terminal, byte);
    if (to == RegexSet::kNothing) continue;
    if (to != RegexSet::kEmpty) configs_.push_back({to, config.after});
    if (regexes().nullable(to)) resume(config.after);
  }
  close();
  const GrammarState to = finish();
  const State& s = states_[state];
  targets_[s.targets + regexes().partition(s.partition).of[byte]] = to;
  return to;
}

int Pushdown::next_byte(GrammarState state) {
  const BytePartition classes = this->classes(state);
  int found = kNoByte;
  for (size_t c = 0; c < classes.count; ++c) {
    if (step(state, classes.first[c]) == kDead) continue;
    const bool one = std::ranges::count(classes.of, static_cast<uint8_t>(c)) == 1;
    if (!one || found != kNoByte) return kSeveralBytes;
    found = classes.first[c];
  }
  return found;
}

GrammarState Pushdown::after(FrameId frame) {
  if (frame >= behind_.size()) behind_.resize(std::max<size_t>(frame + 1, behind_.size() * 2), kUnknown);
  if (behind_[frame] == kUnknown) {
    forget();
    resume(frame);
    close();
    const GrammarState state = finish();
    behind_[frame] = state;
  }
  return behind_[frame];
}

size_t Pushdown::memory() const {
  return program_.memory() + frames_.memory() + node_lists_.memory() + config_lists_.memory() + state_keys_.memory() +
         states_.capacity() * sizeof(State) + (targets_.capacity() + behind_.capacity() + resumed_.capacity()) * 4;
}

void Pushdown::check_memory() const {
  if (memory() > kMaxStateMemory) {
    fail(Errc::kBadInput, "the grammar is too large: its states take more than {} MiB", kMaxStateMemory >> 20);
  }
}

}  // namespace skald
