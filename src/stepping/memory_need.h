// How much memory running a model takes, before it takes it.
#pragma once

#include <cstdint>
#include <functional>

#include "loading/loaded_model.h"
#include "skald/options.h"

namespace skald {

/// Bytes.
struct MemoryNeed {
  int64_t weights = 0;  // that are still to come into the memory: those that a file is mapped for
  int64_t cache = 0;    // of all sequences, as long as they can be
  int64_t work = 0;     // activations of a step, as planned for the graph as the model builds it

  int64_t all() const { return weights + cache + work; }
};

/// Of an engine with these options; `cache.n_ctx` is not 0, but with fixed shapes. Throws as the engine does for options
/// that the model cannot be run with.
MemoryNeed memory_need(const LoadedModel& model, const EngineOptions& options);

/// A context for the memory that there is.
struct FittingContext {
  int64_t n_ctx = 0;     // 0: none fits
  MemoryNeed need = {};  // of what was asked for
  bool streams = false;  // the weights do not fit: they stay in their file, and come from the disk again and again
};

/// The longest context of at most `options.cache.n_ctx` tokens whose cache and work fit beside the weights into `memory`
/// bytes: that, or a multiple of 256. Where the weights leave no room for 512 tokens, and a file is mapped for them, they do
/// not count.
FittingContext fitting_context(const LoadedModel& model, const EngineOptions& options, int64_t memory);

/// The options of an engine whose cache holds as many tokens.
using OptionsFor = std::function<EngineOptions(int64_t tokens)>;

/// The most tokens, at most `tokens`, that the cache of all sequences together can hold in `memory` bytes, of which a part
/// is left to others: that, or a multiple of a page's 64. `need`: of `tokens`.
FittingContext fitting_cache(const LoadedModel& model, int64_t tokens, const OptionsFor& options, int64_t memory);

}  // namespace skald
