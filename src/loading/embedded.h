// The bytes of the model that is linked into the library (assets/skald-tiny.gguf).
#pragma once

#include <cstddef>
#include <span>

namespace skald {

std::span<const std::byte> embedded_model();

}  // namespace skald
