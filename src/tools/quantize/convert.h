// A Hugging Face folder as a GGUF file.
#pragma once

#include <functional>
#include <string>

#include "convert/conversion.h"

namespace skald {

struct ConvertedFile {
  int64_t tensors = 0, bytes = 0;
};

/// Writes the GGUF file at `out`, a tensor at a time; its memory is that of a few pieces of tensors. `threads`: 0 for one
/// per usable CPU. `progress` hears the share done; an exception that it throws ends the work. Throws what Conversion and
/// GgufWriter::write do; after any exception `out` is as it was before.
ConvertedFile convert_file(const std::string& directory, const std::string& out, const ConvertOptions& options, int threads,
                           const std::function<void(double)>& progress);

}  // namespace skald
