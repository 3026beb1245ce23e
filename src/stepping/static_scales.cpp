#include "stepping/static_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "stepping/static_runner.h"

namespace skald {
namespace {

// What is to come may be larger than what was seen. A third of a bit pays for it.
constexpr float kHeadroom = 1.25f;
constexpr float kLargestCode = 127.0f;

// Of the newest n rows of all heads, (n, d) floats each.
float largest_of(const StaticWindow& first, int64_t heads, int64_t n, int64_t d) {
  float largest = 0;
  for (int64_t head = 0; head < heads; ++head) {
    const auto* x = reinterpret_cast<const float*>(first.newest(n) + head * first.head_stride);
    for (int64_t i = 0; i < n * d; ++i) largest = std::max(largest, std::abs(x[i]));
  }
  return largest;
}

// 0 where there are but zeros: a scale that cannot be divided by.
float scale_for(float largest) {
  const float scale = kHeadroom * largest / kLargestCode;
  return scale >= std::numeric_limits<float>::min() ? scale : 0.0f;
}

}  // namespace

std::vector<float> calibrated_scales(const StepModel& model, Backend& backend, std::span<const TokenId> tokens) {
  const auto n = static_cast<int64_t>(tokens.size());
  StaticRunner runner(model, backend, {.static_shapes = {.context = n + 1, .bits = 32, .scales = {}}});
  KvSequence sequence = runner.new_sequence();
  const StepItem item{&sequence, tokens, 0};
  runner.run({&item, 1});
  const std::vector<AttentionState> layers = attention_states(model.states);
  std::vector<float> scales;
  for (size_t l = 0; l < layers.size(); ++l) {
    const AttentionState& layer = layers[l];
    const auto at = static_cast<int64_t>(l);
    scales.push_back(scale_for(largest_of(runner.manager().keys(at, 0), layer.n_kv_heads, n, layer.d_k)));
    scales.push_back(scale_for(largest_of(runner.manager().values(at, 0), layer.n_kv_heads, n, layer.d_v)));
  }
  return scales;
}

std::vector<float> scales_per_layer(std::span<const float> given, int64_t n_layers) {
  const auto n = static_cast<size_t>(2 * n_layers);
  if (given.size() != 1 && given.size() != 2 && given.size() != n)
    fail(Errc::kBadInput,
         "cache.static_shapes.scales: {} numbers: want 1 for all, 2 for keys and values, or {} for those of each layer",
         given.size(), n);
  std::vector<float> scales(n);
  for (size_t i = 0; i < n; ++i) scales[i] = given[i % given.size()];
  return scales;
}

}  // namespace skald
