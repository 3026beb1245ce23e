#include "sampling/grammar/schema/has_text.h"

#include <algorithm>
#include <vector>

namespace skald {
namespace {

// `known`: rules that have a text. Expressions nest as far as they are written.
bool known_text(Grammar& grammar, ExprId id, const std::vector<bool>& known) {
  using Kind = Grammar::Kind;
  const Grammar::Expr e = grammar.expr(id);
  const auto has = [&](ExprId part) { return known_text(grammar, part, known); };
  switch (e.kind) {
    case Kind::kTerminal:
      return !grammar.regexes.is_nothing(e.what);
    case Kind::kSequence:
      return std::ranges::all_of(grammar.parts(id), has);
    case Kind::kAnyOf:
      return std::ranges::any_of(grammar.parts(id), has);
    case Kind::kRepeat:
      return e.min == 0 || has(e.what);
    case Kind::kRule:
      return known[e.what];
  }
  return false;
}

}  // namespace

// Rules are mostly used before they are defined: from the last one on, few rounds are needed.
bool has_text(Grammar& grammar, RuleId rule) {
  std::vector<bool> known(grammar.rules().size(), false);
  for (bool more = true; more && !known[rule];) {
    more = false;
    for (size_t i = known.size(); i-- > 0;) {
      if (known[i] || grammar.rules()[i].body == Grammar::kUndefined || !known_text(grammar, grammar.rules()[i].body, known))
        continue;
      known[i] = more = true;
    }
  }
  return known[rule];
}

}  // namespace skald
