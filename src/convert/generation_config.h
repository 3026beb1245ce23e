// Sampling defaults of generation_config.json as GGUF's general.sampling.* keys.
#pragma once

#include "base/meta.h"
#include "convert/hf_directory.h"

namespace skald {

/// temperature, top_k, top_p, min_p, typical_p and repetition_penalty; do_sample = false, where it is written, is
/// temperature 0. Values that cannot be used are left out with a line in the log that names the file and the key.
void add_sampling_defaults(const HfDirectory& dir, Meta& meta);

}  // namespace skald
