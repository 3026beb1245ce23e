// Adapters in folders, as PEFT keeps them: adapter_config.json and adapter_model.safetensors.
#pragma once

#include <string>

#include "adapters/adapter.h"
#include "base/meta.h"

namespace skald {

/// Returns whether a path is a folder with adapter_config.json.
bool is_peft_folder(const std::string& path);

/// Reads an adapter for models with the metadata `base`: of a GGUF file, or of a Conversion. Names and orders of rows are
/// brought into those of GGUF by the tables of the architecture's families. Throws an Error naming the file and the key or
/// tensor: as PeftConfig and module_changes(); kUnsupported for a module that no family's tables have, and where a change of
/// low rank cannot follow the weight into the file; kBadFile for values that are not finite.
Adapter read_peft_adapter(const std::string& folder, const Meta& base);

}  // namespace skald
