// Blocks of 256 values whose parts have whole numbers as scales: a part's scale is the block's times these.
#pragma once

#include <algorithm>
#include <cmath>

#include "quant/blocks.h"
#include "quant/encoder.h"
#include "quant/f16/block.h"
#include "quant/search/levels.h"
#include "quant/search/line.h"
#include "quant/search/scale.h"

namespace skald {

/// Returns the f16 nearest to a block's scale, and scale / block's scale as whole numbers.
template <int kLow, int kHigh, int n>
inline uint16_t to_whole(const float (&scales)[n], float of_block, int (&whole)[n]) {
  const uint16_t d = finite_f16(of_block);
  const float scale = f16_to_f32(d);
  for (int i = 0; i < n; ++i)
    whole[i] = scale != 0 ? static_cast<int>(std::lrint(
                                std::clamp(scales[i] / scale, static_cast<float>(kLow), static_cast<float>(kHigh))))
                          : 0;
  return d;
}

/// Value i of part p is d * scales[p] * level of code i.
template <int kPart>
struct ScaledParts {
  static constexpr int kParts = kSuperBlock / kPart;
  uint16_t d;
  int scales[kParts];
  uint8_t codes[kSuperBlock];
};

/// With scales from kLow to kHigh. x, w (256).
template <class Levels, int kPart, int kLow, int kHigh, int kVectors>
inline ScaledParts<kPart> fit_scaled_parts(const float* x, const float* w, Tries tries) {
  using Parts = ScaledParts<kPart>;
  Parts out;
  float scales[Parts::kParts], costs[Parts::kParts];
  for (int p = 0; p < Parts::kParts; ++p) {
    const ScaleFit fit = best_scale<Levels, kPart, kVectors>(x + p * kPart, w + p * kPart, tries);
    scales[p] = fit.scale;
    costs[p] = fit.squares;
  }
  const ScaleFit all = best_scale<Steps<kLow, kHigh>, Parts::kParts, 2>(scales, costs, {kLow, 0.5f});
  out.d = to_whole<kLow, kHigh>(scales, all.scale, out.scales);
  const float d = f16_to_f32(out.d);
  for (int p = 0; p < Parts::kParts; ++p) {
    // The number nearest to the part's own scale is not always best for its values.
    const float steps[kLanes] = {0, -1, 1, 2};
    const float from = static_cast<float>(out.scales[p]);
    const Lanes whole = least(largest(from + load_lanes(steps), all_lanes(kLow)), all_lanes(kHigh));
    float errors[kLanes];
    store_lanes(errors, errors_at<Levels, kPart>(x + p * kPart, w + p * kPart, d * whole));
    out.scales[p] = static_cast<int>(whole[place_of_least(errors)]);
    put_numbers<Levels, kPart>(x + p * kPart, d * static_cast<float>(out.scales[p]), 0, out.codes + p * kPart);
  }
  return out;
}

/// Value i of part p is d * scales[p] * code i - min * offsets[p].
template <int kPart>
struct LinedParts {
  static constexpr int kParts = kSuperBlock / kPart;
  uint16_t d, min;
  int scales[kParts], offsets[kParts];
  uint8_t codes[kSuperBlock];
};

/// Returns the offset, not negative, that is best for codes of a given scale, beginning from one that is about right. x, w
/// (n).
template <int kMaxCode, int n>
inline float best_offset(const float* x, const float* w, float scale, float offset) {
  const Lanes inverse = all_lanes(scale != 0 ? 1 / scale : 0);
  Lanes missing{}, weight{};
  for (int i = 0; i < n; i += kLanes) {
    const Lanes v = load_lanes(x + i), wi = load_lanes(w + i);
    missing += wi * (scale * Steps<0, kMaxCode>::nearest((v + offset) * inverse) - v);
    weight += wi;
  }
  return std::max(sum(missing) / sum(weight), 0.0f);
}

/// A part's scale and offset as whole numbers: of those given and their neighbours, the ones that are best for its values.
template <int kMaxCode, int kMaxWhole, int n>
inline void choose_whole(const float* x, const float* w, float d, float min, int& scale, int& offset) {
  constexpr int kTries = 8;
  constexpr float kScaleSteps[kTries] = {0, 0, 0, 1, -1, 1, -1, 1}, kOffsetSteps[kTries] = {0, 1, -1, 0, 0, 1, -1, -1};
  Lanes scales[kTries / kLanes], offsets[kTries / kLanes];
  float errors[kTries];
  for (int v = 0; v < kTries / kLanes; ++v) {
    const auto whole = [&](int from, const float* steps) {
      return least(largest(static_cast<float>(from) + load_lanes(steps + kLanes * v), Lanes{}), all_lanes(kMaxWhole));
    };
    scales[v] = whole(scale, kScaleSteps);
    offsets[v] = whole(offset, kOffsetSteps);
    store_lanes(errors + kLanes * v, errors_at<Steps<0, kMaxCode>, n>(x, w, d * scales[v], min * offsets[v]));
  }
  const int i = place_of_least(errors);
  scale = static_cast<int>(scales[i / kLanes][i % kLanes]);
  offset = static_cast<int>(offsets[i / kLanes][i % kLanes]);
}

/// With scales and offsets from 0 to kMaxWhole. x, w (256).
template <int kPart, int kMaxCode, int kMaxWhole, int kVectors>
inline LinedParts<kPart> fit_lined_parts(const float* x, const float* w, Tries tries) {
  using Parts = LinedParts<kPart>;
  constexpr Tries kWholeTries = {kMaxWhole * 0.9f, kMaxWhole * 0.0145f};
  Parts out;
  float scales[Parts::kParts], offsets[Parts::kParts], costs[Parts::kParts], weights[Parts::kParts];
  for (int p = 0; p < Parts::kParts; ++p) {
    const Line line = best_line<kMaxCode, true, kPart, kVectors>(x + p * kPart, w + p * kPart, tries);
    scales[p] = line.scale;
    offsets[p] = -line.offset;
    costs[p] = line.squares;
  }
  const ScaleFit scale = best_scale<Steps<0, kMaxWhole>, Parts::kParts, 2>(scales, costs, kWholeTries);
  out.d = to_whole<0, kMaxWhole>(scales, scale.scale, out.scales);
  const float d = f16_to_f32(out.d);
  for (int p = 0; p < Parts::kParts; ++p) {  // offsets make up for rounded scales
    const float* part = x + p * kPart;
    weights[p] = spread_of<kPart>(part, w + p * kPart).weight;
    if (out.scales[p] > 0)
      offsets[p] = best_offset<kMaxCode, kPart>(part, w + p * kPart, d * static_cast<float>(out.scales[p]), offsets[p]);
  }
  const ScaleFit offset = best_scale<Steps<0, kMaxWhole>, Parts::kParts, 2>(offsets, weights, kWholeTries);
  out.min = to_whole<0, kMaxWhole>(offsets, offset.scale, out.offsets);
  const float min = f16_to_f32(out.min);
  for (int p = 0; p < Parts::kParts; ++p) {
    choose_whole<kMaxCode, kMaxWhole, kPart>(x + p * kPart, w + p * kPart, d, min, out.scales[p], out.offsets[p]);
    put_numbers<Steps<0, kMaxCode>, kPart>(x + p * kPart, d * static_cast<float>(out.scales[p]),
                                           min * static_cast<float>(out.offsets[p]), out.codes + p * kPart);
  }
  return out;
}

}  // namespace skald
