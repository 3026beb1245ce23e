// Adapters in GGUF files, as llama.cpp's convert_lora_to_gguf.py writes them: general.type is "adapter", adapter.type
// "lora", and a weight X has X.lora_a and X.lora_b.
#pragma once

#include <string>

#include "adapters/adapter.h"

namespace skald {

/// Reads an adapter. Throws an Error naming the file and the key or the tensor: kBadFile for a model or another kind of file
/// in its place, a matrix without its twin, ranks that differ or are 0, values that are not finite; kUnsupported for another
/// kind of adapter, and for a tensor that is neither lora_a nor lora_b.
Adapter read_gguf_adapter(const std::string& path);

/// Writes it, matrices by `type`: "f32", "f16", "bf16" or "q8_0"; empty: as they are kept. Throws as GgufWriter does.
void write_gguf_adapter(const Adapter& adapter, const std::string& path, const std::string& type = {});

}  // namespace skald
