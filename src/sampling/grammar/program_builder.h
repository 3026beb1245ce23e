// ProgramBuilder: makes a PushdownProgram of a Grammar.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sampling/grammar/pushdown_program.h"

namespace skald {

class ProgramBuilder {
 public:
  ProgramBuilder(Grammar& grammar, PushdownProgram& program) : grammar_(grammar), program_(program) {}

  void build();

 private:
  // Of an expression or rule: whether some text fits at all, and whether the empty one does.
  struct Facts {
    bool fits = false, empty = false;
    bool operator==(const Facts&) const = default;
  };
  void find_reachable();
  void check_defined() const;
  void find_facts();
  Facts facts_of(ExprId id) const;

  ItemId add(PushdownProgram::Item item);
  ItemId add_leaf(GrammarLeaf leaf, bool skips);
  ItemId add_split(std::span<const ItemId> to);
  ItemId expand(ExprId id, ItemId next, int depth);
  ItemId expand_sequence(ExprId id, ItemId next, int depth);
  ItemId expand_choice(ExprId id, ItemId next, int depth);
  ItemId expand_repeat(ExprId id, ItemId next, int depth);
  RuleId body_rule(ExprId body);
  void order_rules();
  [[noreturn]] void left_recursion(const std::vector<RuleId>& path, RuleId again) const;

  Grammar& grammar_;
  PushdownProgram& program_;
  std::vector<ExprId> reachable_;  // parts before what they are parts of
  std::vector<bool> rule_reached_;
  std::vector<Facts> facts_;  // of expressions
  struct Body {
    RuleId rule;
    ExprId expr;
  };
  std::vector<Body> to_expand_;
};

}  // namespace skald
