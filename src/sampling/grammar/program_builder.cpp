#include "sampling/grammar/program_builder.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace skald {

namespace {

constexpr int kMaxProgramDepth = 2000;
using Kind = Grammar::Kind;
using Leaf = GrammarLeaf;

}  // namespace

// Parts first, by a stack of our own: nothing bounds how deep expressions are nested.
void ProgramBuilder::find_reachable() {
  std::vector<uint8_t> state(grammar_.exprs());  // 1: its parts are on the stack, 2: listed
  rule_reached_.assign(grammar_.rules().size(), false);
  std::vector<ExprId> stack;
  const auto reach = [&](RuleId rule) {
    if (rule_reached_[rule]) return;
    rule_reached_[rule] = true;
    if (grammar_.rules()[rule].body != Grammar::kUndefined) stack.push_back(grammar_.rules()[rule].body);
  };
  reach(grammar_.start());
  while (!stack.empty()) {
    const ExprId id = stack.back();
    if (state[id] != 0) {
      stack.pop_back();
      if (std::exchange(state[id], 2) == 1) reachable_.push_back(id);
      continue;
    }
    state[id] = 1;
    const Grammar::Expr& expr = grammar_.expr(id);
    if (expr.kind == Kind::kRule) reach(expr.what);
    if (expr.kind == Kind::kRepeat) stack.push_back(expr.what);
    if (expr.kind == Kind::kSequence || expr.kind == Kind::kAnyOf) {
      for (const ExprId part : grammar_.parts(id)) {
        if (state[part] == 0) stack.push_back(part);
      }
    }
  }
}

void ProgramBuilder::check_defined() const {
  for (size_t i = 0; i < rule_reached_.size(); ++i) {
    const Grammar::Rule& rule = grammar_.rules()[i];
    if (rule_reached_[i] && rule.body == Grammar::kUndefined) {
      fail(Errc::kBadInput, "the rule \"{}\" is used but not defined", rule.name);
    }
  }
}

ProgramBuilder::Facts ProgramBuilder::facts_of(ExprId id) const {
  const Grammar::Expr& expr = grammar_.expr(id);
  if (expr.kind == Kind::kTerminal) return facts_[id];
  if (expr.kind == Kind::kRule) return facts_[grammar_.rules()[expr.what].body];
  if (expr.kind == Kind::kRepeat) {
    const Facts inner = facts_[expr.what];
    return {expr.min == 0 || inner.fits, expr.min == 0 || inner.empty};
  }
  const bool all = expr.kind == Kind::kSequence;
  Facts facts{all, all};
  for (const ExprId part : grammar_.parts(id)) {
    const Facts inner = facts_[part];
    facts.fits = all ? facts.fits && inner.fits : facts.fits || inner.fits;
    facts.empty = all ? facts.empty && inner.empty : facts.empty || inner.empty;
  }
  return facts;
}

// The least solution: facts only ever become true.
void ProgramBuilder::find_facts() {
  facts_.assign(grammar_.exprs(), {});
  for (const ExprId id : reachable_) {
    const Grammar::Expr& expr = grammar_.expr(id);
    if (expr.kind != Kind::kTerminal) continue;
    facts_[id] = {!grammar_.regexes.is_nothing(expr.what), grammar_.regexes.nullable(expr.what)};
  }
  // Parts come before what they are parts of: one more round for each time that a recursion meets itself.
  for (bool changed = true; changed;) {
    changed = false;
    for (const ExprId id : reachable_) {
      grammar_.regexes.check_time();
      const Facts facts = facts_of(id);
      changed = changed || facts != facts_[id];
      facts_[id] = facts;
    }
  }
}

ItemId ProgramBuilder::add(PushdownProgram::Item item) {
  auto& items = program_.items_;
  grammar_.regexes.check_time();
  if (items.size() % 4096 == 0)
    grammar_.regexes.check_memory(items.capacity() * sizeof(item) + program_.splits_.capacity() * sizeof(ItemId));
  items.push_back(item);
  return static_cast<ItemId>(program_.items_.size() - 1);
}

ItemId ProgramBuilder::add_leaf(GrammarLeaf leaf, bool skips) { return add({.leaf = leaf, .skips = skips}); }

ItemId ProgramBuilder::add_split(std::span<const ItemId> to) {
  auto& splits = program_.splits_;
  const auto begin = static_cast<uint32_t>(splits.size());
  splits.insert(splits.end(), to.begin(), to.end());
  return add({.leaf = {}, .splits = true, .begin = begin, .end = static_cast<uint32_t>(splits.size())});
}

RuleId ProgramBuilder::body_rule(ExprId body) {
  const auto rule = static_cast<RuleId>(program_.rules_.size());
  program_.rules_.push_back({.nullable = facts_[body].empty});
  to_expand_.push_back({rule, body});
  return rule;
}

ItemId ProgramBuilder::expand_sequence(ExprId id, ItemId next, int depth) {
  const auto parts = grammar_.parts(id);
  for (size_t i = parts.size(); i-- > 0;) next = expand(parts[i], next, depth);
  return next;
}

ItemId ProgramBuilder::expand_choice(ExprId id, ItemId next, int depth) {
  std::vector<RegexId> regexes;
  std::vector<ItemId> to;
  for (const ExprId part : grammar_.parts(id)) {
    if (!facts_[part].fits) continue;
    const Grammar::Expr& expr = grammar_.expr(part);
    if (expr.kind == Kind::kTerminal)
      regexes.push_back(expr.what);
    else
      to.push_back(expand(part, next, depth));
  }
  if (!regexes.empty()) {
    const RegexId regex = grammar_.regexes.any_of(regexes);
    const bool empty = grammar_.regexes.nullable(regex);
    to.push_back(add_leaf({.kind = Leaf::Kind::kTerminal, .what = regex, .next = next}, empty));
  }
  return to.size() == 1 ? to[0] : add_split(to);
}

ItemId ProgramBuilder::expand_repeat(ExprId id, ItemId next, int depth) {
  const Grammar::Expr expr = grammar_.expr(id);
  if (expr.max == 0 || !facts_[expr.what].fits) return next;
  const int64_t min = facts_[expr.what].empty ? 0 : expr.min;
  if (expr.max == 1)
    return min == 1 ? expand(expr.what, next, depth) : add_split(std::vector{expand(expr.what, next, depth), next});
  if (expr.max < 0 && min <= 1) {
    const ItemId loop = add_split(std::vector<ItemId>{0, next});
    const ItemId body = expand(expr.what, loop, depth);
    program_.splits_[program_.items_[loop].begin] = body;
    return min == 0 ? loop : body;
  }
  constexpr int64_t kMost = Leaf::kNoMax - 1;
  if (min > kMost) fail(Errc::kBadInput, "the grammar is too large: repeats at least {} times", min);
  const auto low = static_cast<uint32_t>(min);
  const uint32_t high = expr.max < 0 || expr.max > kMost ? Leaf::kNoMax : static_cast<uint32_t>(expr.max);
  const RuleId rule = body_rule(expr.what);
  const ItemId again = add_leaf({.kind = Leaf::Kind::kAgain, .what = rule, .next = next, .min = low, .max = high}, false);
  const ItemId first = add_leaf({.kind = Leaf::Kind::kRepeat, .what = rule, .next = again}, false);
  return low == 0 ? add_split(std::vector{first, next}) : first;
}

// The item at which the expression begins, whose end goes on with item `next`. Only for what some text fits.
ItemId ProgramBuilder::expand(ExprId id, ItemId next, int depth) {
  if (depth > kMaxProgramDepth) fail(Errc::kBadInput, "the grammar is too large: nested deeper than {}", kMaxProgramDepth);
  const Grammar::Expr expr = grammar_.expr(id);
  switch (expr.kind) {
    case Kind::kTerminal:
      if (expr.what == RegexSet::kEmpty) return next;
      return add_leaf({.kind = Leaf::Kind::kTerminal, .what = expr.what, .next = next}, facts_[id].empty);
    case Kind::kSequence:
      return expand_sequence(id, next, depth + 1);
    case Kind::kAnyOf:
      return expand_choice(id, next, depth + 1);
    case Kind::kRepeat:
      return expand_repeat(id, next, depth + 1);
    case Kind::kRule:
      break;
  }
  const bool tail = program_.items_[next].leaf.kind == Leaf::Kind::kEnd && !program_.items_[next].splits;
  return add_leaf({.kind = Leaf::Kind::kCall, .tail = tail, .what = expr.what, .next = next}, facts_[id].empty);
}

void ProgramBuilder::left_recursion(const std::vector<RuleId>& path, RuleId again) const {
  std::string names;
  for (auto it = std::ranges::find(path, again); it != path.end(); ++it) {
    if (*it < grammar_.rules().size() && names.size() < 200) names += fmt::format("\"{}\" -> ", grammar_.rules()[*it].name);
  }
  const std::string last = again < grammar_.rules().size() ? grammar_.rules()[again].name : "a repetition";
  fail(Errc::kUnsupported, "left recursion is not supported: a rule begins with itself: {}\"{}\"", names, last);
}

// Depth first over "begins with"; a rule gets its number when all that it begins with have theirs.
void ProgramBuilder::order_rules() {
  const size_t n = program_.rules_.size();
  std::vector<uint8_t> state(n);
  std::vector<std::vector<RuleId>> begins(n);
  std::vector<RuleId> path;
  auto order = static_cast<uint32_t>(n);
  for (RuleId first = 0; first < n; ++first) {
    if (state[first] != 0 || program_.rules_[first].entry == 0) continue;
    path.push_back(first);
    while (!path.empty()) {
      const RuleId at = path.back();
      if (state[at] == 0) {
        state[at] = 1;
        for (const GrammarLeaf& leaf : program_.leaves(program_.rules_[at].entry)) {
          if (leaf.kind == Leaf::Kind::kCall || leaf.kind == Leaf::Kind::kRepeat) begins[at].push_back(leaf.what);
        }
      }
      if (begins[at].empty()) {
        state[at] = 2;
        program_.rules_[at].order = --order;
        path.pop_back();
        continue;
      }
      const RuleId to = begins[at].back();
      begins[at].pop_back();
      if (state[to] == 1) left_recursion(path, to);
      if (state[to] == 0) path.push_back(to);
    }
  }
}

void ProgramBuilder::build() {
  if (grammar_.start() >= grammar_.rules().size()) fail(Errc::kBadInput, "the grammar has no rules");
  find_reachable();
  check_defined();
  find_facts();
  program_.start_ = grammar_.start();
  if (!facts_[grammar_.rules()[program_.start_].body].fits) fail(Errc::kBadInput, "no text fits the grammar");
  program_.rules_.resize(grammar_.rules().size());
  add_leaf({.kind = Leaf::Kind::kAccept}, false);
  const ItemId end = add_leaf({.kind = Leaf::Kind::kEnd}, false);
  for (RuleId rule = 0; rule < grammar_.rules().size(); ++rule) {
    const ExprId body = grammar_.rules()[rule].body;
    if (!rule_reached_[rule] || !facts_[body].fits) continue;
    program_.rules_[rule].nullable = facts_[body].empty;
    to_expand_.push_back({rule, body});
  }
  while (!to_expand_.empty()) {
    const Body body = to_expand_.back();
    to_expand_.pop_back();
    const ItemId entry = expand(body.expr, end, 0);
    program_.rules_[body.rule].entry = entry;
  }
  order_rules();
}

}  // namespace skald
