// log_temperature: 1 + scale * ln(floor((position + 1) / length) + 1): what queries are multiplied by so that attention over
// contexts beyond `length` stays as sharp. Nakanishi, arXiv 2501.19399; Llama 4.
// Inputs: positions (tokens) i32 -> (tokens, 1).
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct LogTemperature {
  float scale = 0;
  int64_t length = 1;
  int64_t first = 1;  // number of the first position
  std::string describe() const;
  friend bool operator==(const LogTemperature&, const LogTemperature&) = default;
};

extern const OpDef op_log_temperature;

}  // namespace skald
