#include "loading/embedded.h"

extern "C" {
[[gnu::visibility("hidden")]] extern const std::byte skald_embedded_model[];
[[gnu::visibility("hidden")]] extern const std::byte skald_embedded_model_end[];
}

namespace skald {

std::span<const std::byte> embedded_model() { return {skald_embedded_model, skald_embedded_model_end}; }

}  // namespace skald
