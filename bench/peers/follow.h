// A part of follow.cpp that engines with llama.h do not have in common.
#pragma once

#include <llama.h>

/// Adds the LoRA adapter of a GGUF file. Throws std::runtime_error if it does not load. follow_lora.cpp has it for
/// llama.cpp, follow_plain.cpp for every engine: there it always throws.
void add_adapter(llama_model* model, llama_context* context, const char* path);
