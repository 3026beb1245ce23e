// No adapters, for engines whose llama.h has other functions for them, or none.
#include <stdexcept>

#include "follow.h"

void add_adapter(llama_model*, llama_context*, const char*) { throw std::runtime_error("built without adapters"); }
