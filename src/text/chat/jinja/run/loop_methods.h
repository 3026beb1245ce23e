// loop.cycle() and loop.changed().
#pragma once

#include <string_view>

#include "text/chat/jinja/run/loop_object.h"

namespace skald::jinja {

/// Returns Missing where a loop has no such method.
Value loop_method(const Ref<LoopObject>& loop, std::string_view name);

}  // namespace skald::jinja
