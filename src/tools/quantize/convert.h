// A Hugging Face folder as a GGUF file.
#pragma once

#include <string>

#include "convert/conversion.h"
#include "skald/types.h"

namespace skald {

struct ConvertedFile {
  int64_t tensors = 0, bytes = 0;
};

/// Writes the GGUF file at `out`, a tensor at a time; its memory is that of a few pieces of tensors. `threads`: 0 for one
/// per usable CPU. `calibration`: a file of skald calibrate that becomes a part of the model; empty: none. `on_progress` may
/// throw to end it. Throws as Conversion, open_calibration, want_same_model and GgufWriter::write; after any exception `out`
/// is as it was before.
ConvertedFile convert_file(const std::string& directory, const std::string& out, const ConvertOptions& options, int threads,
                           const std::string& calibration, const OnProgress& on_progress);

}  // namespace skald
