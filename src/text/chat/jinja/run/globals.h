// The names that every template knows: range, dict, namespace, raise_exception and their kin.
#pragma once

#include <string_view>

#include "text/chat/jinja/run/function.h"
#include "text/chat/jinja/run/protocol.h"

namespace skald::jinja {

/// Returns Missing where there is no such global.
Value find_global(Heap& heap, std::string_view name);

/// namespace.name = value. Throws Failure (kSecurity) for names that begin with an underscore.
void set_namespace(Heap& heap, Namespace& names, std::string_view name, Value value);

}  // namespace skald::jinja
