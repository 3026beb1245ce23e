// The architectures that this build knows, and how each was verified.
#pragma once

#include "tools/report/table.h"

namespace skald {

/// architecture, models, verified against: a row per family, in the order of their names.
Table architectures();

}  // namespace skald
