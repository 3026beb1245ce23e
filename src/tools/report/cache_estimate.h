// The memory of a model's cache before the model is there.
#pragma once

#include <cstdint>
#include <string_view>

namespace skald {

/// Returns the bytes of keys and values of f16 for this many tokens, by the keys at a GGUF file's beginning. They are those
/// of all layers, windows aside, which makes it an upper bound. 0 where the keys do not say, or the file is none.
int64_t cache_estimate(std::string_view beginning, int64_t tokens);

}  // namespace skald
