// Grammars that begin in the middle of a text: at a trigger, as calls of tools do.
#pragma once

#include "sampling/grammar/grammar.h"

namespace skald {

struct TriggerOptions {
  /// What is before the grammar: texts of this language, the first that comes up.
  RegexId trigger;
  /// Whether the grammar's texts begin with the trigger, or right behind it. With it, the trigger must be what the grammar
  /// begins with: what else begins so cannot come.
  bool in_grammar = false;
  /// Whether free text follows the grammar's, with further triggers.
  bool again = false;
};

/// Makes `grammar` one of texts that are free up to a trigger and then one of its texts. A text without a trigger fits too.
void start_at_trigger(Grammar& grammar, const TriggerOptions& options);

}  // namespace skald
