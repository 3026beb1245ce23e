#include "sampling/grammar/grammar.h"

#include <utility>

#include "base/error.h"

namespace skald {

ExprId Grammar::add(Expr expr) {
  regexes.check_time();
  if (exprs_.size() % 4096 == 0) regexes.check_memory(exprs_.capacity() * sizeof(Expr) + parts_.capacity() * sizeof(ExprId));
  exprs_.push_back(expr);
  return static_cast<ExprId>(exprs_.size() - 1);
}

ExprId Grammar::add_list(Kind kind, std::span<const ExprId> parts) {
  const auto begin = static_cast<uint32_t>(parts_.size());
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  return add({.kind = kind, .begin = begin, .end = static_cast<uint32_t>(parts_.size())});
}

ExprId Grammar::terminal(RegexId regex) { return add({.kind = Kind::kTerminal, .what = regex}); }

ExprId Grammar::sequence(std::span<const ExprId> parts) {
  return parts.size() == 1 ? parts[0] : add_list(Kind::kSequence, parts);
}

ExprId Grammar::any_of(std::span<const ExprId> parts) {
  return parts.size() == 1 ? parts[0] : add_list(Kind::kAnyOf, parts);
}

ExprId Grammar::repeat(ExprId what, int64_t min, int64_t max) {
  if (min < 0 || (max >= 0 && max < min)) fail(Errc::kBadInput, "repeats at least {} and at most {} times", min, max);
  if (min == 1 && max == 1) return what;
  return add({.kind = Kind::kRepeat, .what = what, .min = min, .max = max});
}

RuleId Grammar::add_rule(std::string name) {
  rules_.push_back({.name = std::move(name)});
  return static_cast<RuleId>(rules_.size() - 1);
}

void Grammar::define(RuleId rule, ExprId body) { rules_[rule].body = body; }

ExprId Grammar::rule(RuleId rule) { return add({.kind = Kind::kRule, .what = rule}); }

}  // namespace skald
