#include "graph/ops/log_temperature.h"

#include <fmt/format.h>

#include "base/error.h"
#include "graph/checks.h"

namespace skald {

std::string LogTemperature::describe() const {
  return fmt::format("{:g} per ln({} positions from {})", scale, length, first);
}

static ValueDesc infer(const LogTemperature& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  if (a.length <= 0) fail(Errc::kBadInput, "want a positive number of positions, got {}", a.length);
  return {&format_f32, Shape{in[0].shape[0], 1}, in[0].rows};
}

const OpDef op_log_temperature = define_op<LogTemperature, infer>("log_temperature");

}  // namespace skald
