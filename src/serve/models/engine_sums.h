// Sums of several engines' statuses.
#pragma once

#include "skald/engine.h"

namespace skald::serve {

/// Adds the counts since the engines were made, which never fall.
void add_counters(EngineStatus& all, const EngineStatus& one);
/// Adds the requests and pages that there are now.
void add_gauges(EngineStatus& all, const EngineStatus& one);

}  // namespace skald::serve
