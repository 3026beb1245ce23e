// The stepper of an engine, as its options and the model want it.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/backend.h"
#include "loading/loaded_model.h"
#include "skald/options.h"
#include "stepping/stepper.h"

namespace skald {

/// Returns the context in tokens: of fixed shapes without one it has no end.
int64_t longest_context(const CacheOptions& cache, const LoadedModel& model);

/// Prompts of models with recurrent states, or sparse decoding in windows, are cut at pages' borders where prefixes are
/// shared. Beside as many generated rows as there can be, a page has room in a step then.
ScheduleOptions with_pages(ScheduleOptions schedule, const CacheOptions& cache, const LoadedModel& model);

/// Returns whether pages or sequences go beyond memory.
bool keeps_outside(const EngineOptions& options);

/// `backend` must outlive it. Throws Error where the model cannot be run so.
std::unique_ptr<Stepper> make_stepper(const LoadedModel& model, Backend& backend, const EngineOptions& options);

}  // namespace skald
