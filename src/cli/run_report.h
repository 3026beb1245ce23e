// What skald run says on stderr when the text is there.
#pragma once

#include "skald/engine.h"

namespace skald {

void print_timings(const Result& result, const MemoryUse& memory);
/// What sparse decoding read; nothing where it did not decode.
void print_sparq_use(const SparqUse& use);

/// The KV cache, group by group, or with fixed shapes in bytes.
void print_kv_report(const MemoryUse& memory);

}  // namespace skald
