// The sampling parameters in a model's metadata: general.sampling.*, as llama.cpp has them.
#pragma once

#include <string>
#include <vector>

#include "base/meta.h"
#include "sampling/number_table.h"
#include "skald/sampling_params.h"

namespace skald {

struct SamplingDefaults {
  SamplingParams params;                   // with the library's defaults where the file says nothing
  std::string described;                   // the file's: "temp 0.6, top_k 20"; empty: none
  std::vector<SamplingField> fields = {};  // that the file says
  bool samplers = false;                   // whether it says the chain
};

/// A value of a wrong type or out of range is left out, with a line in the log that names its key.
SamplingDefaults read_sampling_defaults(const Meta& meta);

}  // namespace skald
