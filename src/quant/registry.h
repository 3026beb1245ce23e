// The formats this build knows: one folder each under src/quant, listed by the build.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/format.h"

namespace skald {

/// Formats with a codec, in the order of their folder names.
std::span<const Format* const> formats();

/// Returns nullptr when the id or name is unknown here.
const Format* find_format(uint32_t id);
const Format* find_format(std::string_view name);

/// The KV cache's default.
extern const Format format_f16;

}  // namespace skald
