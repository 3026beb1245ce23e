// Grammar: a context-free grammar whose terminals are regular languages, as it is built. A terminal matches any text of its
// language: there is no rule of the longest match, a grammar is a set of texts and no more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sampling/grammar/regex_set.h"

namespace skald {

using ExprId = uint32_t;
using RuleId = uint32_t;

class Grammar {
 public:
  enum class Kind : uint8_t { kTerminal, kSequence, kAnyOf, kRepeat, kRule };
  struct Expr {
    Kind kind;
    uint32_t what = 0;            // the terminal's RegexId, the repeated ExprId or the RuleId
    uint32_t begin = 0, end = 0;  // of a sequence's or choice's parts
    int64_t min = 0, max = 0;     // of repetitions; max < 0: no upper bound
  };
  static constexpr ExprId kUndefined = ~ExprId{0};
  struct Rule {
    std::string name;
    ExprId body = kUndefined;
  };

  RegexSet regexes;

  ExprId terminal(RegexId regex);
  ExprId sequence(std::span<const ExprId> parts);  // none: the empty text
  ExprId any_of(std::span<const ExprId> parts);    // none: nothing
  /// Throws kBadInput for max < min.
  ExprId repeat(ExprId what, int64_t min, int64_t max);
  /// A rule that may be used before it is defined, and in its own definition.
  RuleId add_rule(std::string name);
  void define(RuleId rule, ExprId body);
  ExprId rule(RuleId rule);
  void set_start(RuleId rule) { start_ = rule; }

  const Expr& expr(ExprId id) const { return exprs_[id]; }
  std::span<const ExprId> parts(ExprId id) const {
    return std::span(parts_).subspan(exprs_[id].begin, exprs_[id].end - exprs_[id].begin);
  }
  size_t exprs() const { return exprs_.size(); }
  const std::vector<Rule>& rules() const { return rules_; }
  RuleId start() const { return start_; }

 private:
  ExprId add(Expr expr);
  ExprId add_list(Kind kind, std::span<const ExprId> parts);

  std::vector<Expr> exprs_;
  std::vector<ExprId> parts_;
  std::vector<Rule> rules_;
  RuleId start_ = 0;
};

}  // namespace skald
