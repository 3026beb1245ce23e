// The adapters of a step's rows, by its items.
#pragma once

#include <span>

#include "backend/device_adapter.h"
#include "stepping/stepper.h"

namespace skald {

/// Fills `out` with those of the items' tokens and outputs, in the order of the step's rows: an item's own, else `others`.
/// Neighbouring items that are adapted alike become one run.
void fill_adapters(std::span<const StepItem> items, const AdapterMix& others, StepAdapters& out);

}  // namespace skald
