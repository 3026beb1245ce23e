// What several engines say, added up.
#pragma once

#include "skald/engine.h"

namespace skald::serve {

/// What has been counted since the engines were made, which never falls.
void add_counters(EngineStatus& all, const EngineStatus& one);
/// What there is now: requests and pages.
void add_gauges(EngineStatus& all, const EngineStatus& one);

}  // namespace skald::serve
