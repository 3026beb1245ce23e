// Adapters that are added to a model's weights while it is loaded.
#pragma once

#include <span>

#include "loading/loaded_model.h"
#include "loading/weight_store.h"
#include "skald/lora_file.h"

namespace skald {

/// Replaces the weights that the adapters change by new ones: of the same type, or f16 where nothing makes that type.
/// `store` has the model's weights; `on_progress` hears of their bytes. Throws as
/// load_adapter_to_merge().
void merge_loras(const LoadedModel& model, WeightStore& store, std::span<const LoraFile> files,
                 const OnProgress& on_progress);

}  // namespace skald
