// Encoders: how a format finds scales and codes for weights, once and for all, hence slower and closer than Format::encode,
// which makes caches while a model runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "quant/f16/block.h"
#include "tensor/format.h"

namespace skald {

struct Encoder {
  uint32_t format;  // a GGUF tensor type
  /// Encodes n elements, whole blocks of the format. The sum of importance[i] * (x[i] - decoded[i])^2 becomes small. x (n):
  /// of magnitudes up to kLargestWeight. importance (n): from about 1e-6 to 1e6, or null where all count the same.
  void (*encode)(const float* x, const float* importance, void* blocks, int64_t n);
};

/// The largest weight that all formats with f16 scales hold.
inline constexpr float kLargestWeight = 65504;

/// One per folder of src/quant that has encode.cpp.
std::span<const Encoder* const> encoders();

/// Returns whether weights can be brought into the format: by an encoder, or by Format::encode where that is as close.
bool has_encoder(const Format& format);

/// As Encoder::encode, for any format that has_encoder().
void encode_weights(const Format& format, const float* x, const float* importance, void* blocks, int64_t n);

/// Returns the place of the first of n numbers that is none or larger than the format can hold; n where all fit.
int64_t first_unfit(const Format& format, const float* x, int64_t n);

/// Scales of the largest weights may come out a little larger than these: the nearest f16 that is finite.
inline uint16_t finite_f16(float x) { return f32_to_f16(std::clamp(x, -kLargestWeight, kLargestWeight)); }

/// `encode_one` encodes a block with weights, which it always gets.
template <class Block, void (*encode_one)(const float* x, const float* w, Block& out)>
constexpr Encoder encoder_of_blocks() {
  return {Block::kId, [](const float* x, const float* importance, void* blocks, int64_t n) {
            static constexpr auto kAllTheSame = [] {
              std::array<float, Block::kSize> ones;
              ones.fill(1);
              return ones;
            }();
            auto* block = static_cast<Block*>(blocks);
            for (int64_t i = 0; i < n; i += Block::kSize)
              encode_one(x + i, importance ? importance + i : kAllTheSame.data(), *block++);
          }};
}

}  // namespace skald
