// What skald run says on stderr when the text is there.
#pragma once

#include "skald/engine.h"

namespace skald {

void print_timings(const Result& result, const MemoryUse& memory);

/// The KV cache, group by group, or with fixed shapes in bytes.
void print_kv_report(const MemoryUse& memory);

}  // namespace skald
