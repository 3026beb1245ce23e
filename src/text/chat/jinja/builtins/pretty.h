// Values laid out over lines, as Python's pprint does it.
#pragma once

#include "text/chat/jinja/values/show.h"

namespace skald::jinja {

/// pprint.pformat(): dicts with their keys sorted, lines of at most 80 characters where that is possible.
Shown pretty_text(Heap& heap, const Value& value);

}  // namespace skald::jinja
