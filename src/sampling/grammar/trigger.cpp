#include "sampling/grammar/trigger.h"

#include <array>

namespace skald {

void start_at_trigger(Grammar& grammar, const TriggerOptions& options) {
  RegexSet& regexes = grammar.regexes;
  const RegexId any = regexes.anything(), more = regexes.without_empty(any);
  // Free text has no trigger inside; what leads up to the grammar ends with the first one.
  const RegexId up_to = regexes.concat(std::array{any, options.trigger});
  const RegexId free = regexes.complement(regexes.concat(std::array{up_to, any}));
  const RegexId first = regexes.both(up_to, regexes.complement(regexes.concat(std::array{up_to, more})));
  const ExprId inner = grammar.rule(grammar.start());
  const RuleId root = grammar.add_rule("text with triggers");
  const ExprId lead = grammar.terminal(options.in_grammar ? free : first);
  const ExprId rest = options.again ? grammar.rule(root) : grammar.sequence({});
  grammar.define(root, grammar.any_of(std::array{grammar.terminal(free), grammar.sequence(std::array{lead, inner, rest})}));
  grammar.set_start(root);
}

}  // namespace skald
