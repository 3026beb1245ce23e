// The numbers of SamplingParams that have a flag each.
#pragma once

#include <span>
#include <string>

#include "loading/sampling_defaults.h"
#include "skald/sampling_params.h"

namespace skald {

struct SamplingRow {
  const char* names;  // of the flag: "--temperature,--temp"
  SamplingField field;
  const char* help;
  bool (*counts)(const SamplingParams&);  // whether the value makes a difference

  std::string first_name() const;
  /// The shortest name, as people say it: "temp".
  std::string short_name() const;
  std::string value(const SamplingParams& params) const;
};

std::span<const SamplingRow> sampling_rows();

}  // namespace skald
