// The tensors of PEFT's adapter_model.safetensors as changes of modules.
#pragma once

#include <vector>

#include "convert/module_change.h"
#include "convert/peft_config.h"
#include "io/safetensors.h"

namespace skald {

/// Returns them in the order of their names; the names are those of the model without the adapter. Throws kUnsupported
/// naming the tensor for one that is neither A nor B of a matrix or a table, kBadFile for A without B, and for shapes and
/// ranks that do not fit each other or the configuration.
std::vector<ModuleChange> module_changes(const Safetensors& file, const PeftConfig& config);

}  // namespace skald
