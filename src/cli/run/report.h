// Reports of skald run on stderr when the text is there.
#pragma once

#include "skald/engine.h"
#include "skald/model.h"

namespace skald {

/// Why the first text ended.
void print_finish(const Result& result, const Model& model, int64_t n_ctx);
void print_timings(const Result& result, const MemoryUse& memory);
/// Prints the keys that sparse decoding read; nothing where all tokens were decoded densely.
void print_sparq_use(const SparqUse& use);
/// Where sparse decoding is on and yet decoded all tokens densely: that it did, and which layers would take how many keys.
void tell_if_dense(const SparqUse& use, std::span<const SparqLayers> layers);

/// The KV cache, group by group, or with fixed shapes in bytes; and from when on layers are decoded sparsely.
void print_kv_report(const MemoryUse& memory, std::span<const SparqLayers> layers);

/// All of these: the first three with `perf`, the table with `kv`.
struct RunReport {
  bool perf = true, kv = false;
};
void print_run_report(const Result& result, const Model& model, const Engine& engine, RunReport what);

}  // namespace skald
