// Parts of a grammar that are regular, as terminals.
#pragma once

#include "sampling/grammar/grammar.h"

namespace skald {

/// The same grammar with what needs no stack as terminals: rules that do not use themselves, and what lies side by side. For
/// grammars that are written by the character; fewer terminals, which know all that may follow inside of them, make masks
/// fast.
Grammar fold_regular(Grammar grammar);

}  // namespace skald
