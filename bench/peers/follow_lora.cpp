// Adapters by llama.cpp's functions.
#include <stdexcept>

#include "follow.h"

void add_adapter(llama_model* model, llama_context* context, const char* path) {
  llama_adapter_lora* adapter = llama_adapter_lora_init(model, path);
  if (!adapter) throw std::runtime_error("the adapter does not load");
  float scale = 1;
  if (llama_set_adapters_lora(context, &adapter, 1, &scale)) throw std::runtime_error("the adapter is not added");
}
