// Adapters for a loaded model: a GGUF file or a PEFT folder, checked against the model's weights.
#pragma once

#include <memory>
#include <string>

#include "adapters/adapter.h"
#include "loading/loaded_model.h"
#include "skald/lora_file.h"

namespace skald {

/// Reads an adapter of the model. A base of another name is told in the log. Throws an Error naming the file: kBadFile
/// for one of another architecture or whose matrices do not fit a weight, and as the readers do; kUnsupported for a change
/// of a tensor that is no matrix which rows are multiplied by.
std::shared_ptr<const Adapter> load_adapter(const LoadedModel& model, const std::string& path);

/// Reads one that is to be added to the weights. Throws likewise, and kBadInput for a scale that is not finite; kUnsupported
/// for one that acts from certain tokens on, which changed weights cannot.
std::shared_ptr<const Adapter> load_adapter_to_merge(const LoadedModel& model, const LoraFile& file);

}  // namespace skald
