#include "sampling/grammar/trigger.h"

#include <array>

#include "sampling/grammar/free_text.h"

namespace skald {

// Free text has no trigger inside; what leads up to the grammar ends with the first one.
void start_at_trigger(Grammar& grammar, const TriggerOptions& options) {
  FreeText text(grammar.regexes, options.trigger);
  const ExprId inner = grammar.rule(grammar.start());
  const RuleId root = grammar.add_rule("text with triggers");
  const ExprId lead = grammar.terminal(options.in_grammar ? text.free() : text.up_to(options.trigger));
  const ExprId rest = options.again ? grammar.rule(root) : grammar.sequence({});
  const ExprId free = grammar.terminal(text.free());
  grammar.define(root, grammar.any_of(std::array{free, grammar.sequence(std::array{lead, inner, rest})}));
  grammar.set_start(root);
}

}  // namespace skald
