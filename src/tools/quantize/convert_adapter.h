// An adapter's folder of PEFT as a GGUF file.
#pragma once

#include <string>

#include "tools/quantize/convert.h"

namespace skald {

/// Returns whether a path is such a folder. One that has a model too counts as the model's, unless the adapter is `meant`.
bool is_adapter_folder(const std::string& path, bool meant);

/// Writes the GGUF file at `out`. `base`: the model that the adapter changes, a GGUF file or a folder, of which no weights
/// are read. `type`: as write_gguf_adapter has it. Throws as LoadedModel, load_adapter and write_gguf_adapter.
ConvertedFile convert_adapter(const std::string& folder, const std::string& base, const std::string& out,
                              const std::string& type);

}  // namespace skald
