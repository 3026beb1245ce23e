#include "graph/ops/rope_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "graph/checks.h"

namespace skald {
namespace {

constexpr const char* kScalingNames[] = {"", ", linear", ", llama3", ", yarn"};

// Llama 3.1's rule: long waves are stretched, short ones kept, those between blended.
double llama3(const RopeTable& r, double frequency) {
  const double wave = 2 * std::numbers::pi / frequency;
  const double turns = static_cast<double>(r.original_context) / wave;  // within the original context
  if (turns > static_cast<double>(r.high_freq_factor)) return frequency;
  if (turns < static_cast<double>(r.low_freq_factor)) return frequency / static_cast<double>(r.factor);
  const double keep = (turns - static_cast<double>(r.low_freq_factor)) /
                      (static_cast<double>(r.high_freq_factor) - static_cast<double>(r.low_freq_factor));
  return (1 - keep) * frequency / static_cast<double>(r.factor) + keep * frequency;
}

// The pair that turns `rotations` times within the original context (YaRN, section 3.2), as a real number.
double yarn_pair(const RopeTable& r, float rotations) {
  return r.dims *
         std::log(static_cast<double>(r.original_context) / (static_cast<double>(rotations) * 2 * std::numbers::pi)) /
         (2 * std::log(static_cast<double>(r.theta)));
}

double yarn(const RopeTable& r, double frequency, int pair) {
  const double first = yarn_pair(r, r.beta_fast), last = yarn_pair(r, r.beta_slow);
  const double low = std::max(0.0, r.whole_pairs ? std::floor(first) : first);
  const double high = std::min(r.dims - 1.0, r.whole_pairs ? std::ceil(last) : last);
  const double ramp = std::clamp((pair - low) / std::max(0.001, high - low), 0.0, 1.0);
  const double keep = (1 - ramp) * static_cast<double>(r.ext_factor);
  return frequency / static_cast<double>(r.factor) * (1 - keep) + frequency * keep;
}

ValueDesc infer(const RopeTable& r, std::span<const ValueDesc> in) {
  if (in.size() != 1 && in.size() != 2) fail(Errc::kBadInput, "want 1 or 2 inputs, got {}", in.size());
  if (r.dims <= 0 || r.dims % 2) fail(Errc::kBadInput, "want a positive even number of rotated values, got {}", r.dims);
  if (in.size() == 2) want_cols(in[1], r.dims / 2, "divisors");
  return {&format_f32, Shape{in[0].shape[0], r.dims}, in[0].rows};
}

}  // namespace

std::string RopeTable::describe() const {
  return fmt::format("{} values, base {:g}{}", dims, theta, kScalingNames[static_cast<int>(scaling)]);
}

void RopeTable::frequencies(std::span<double> out) const {
  for (int pair = 0; pair < dims / 2; ++pair) {
    const double plain = std::pow(static_cast<double>(theta), -2.0 * pair / dims);
    double& f = out[static_cast<size_t>(pair)];
    switch (scaling) {
      case RopeScaling::kNone:
        f = plain;
        break;
      case RopeScaling::kLinear:
        f = plain / static_cast<double>(factor);
        break;
      case RopeScaling::kLlama3:
        f = llama3(*this, plain);
        break;
      case RopeScaling::kYarn:
        f = yarn(*this, plain, pair);
        break;
    }
  }
}

const OpDef op_rope_table = define_op<RopeTable, infer>("rope_table");

}  // namespace skald
