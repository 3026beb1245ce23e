// Binder: gives each name of a tree its slot, and finds filters and tests.
#pragma once

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

/// Does the work of Jinja's compiler between reading a template and running it. Throws Failure (kSyntax, kAssertion) with
/// the line.
void bind_names(Tree& tree, Budget& budget);

}  // namespace skald::jinja
