// Kernels of decoding in several cuts (kernels/gpu/tuning.h), of which the first of a format is the usual one.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gpu/kernel_table.h"
#include "kernels/gpu/tuning.h"

namespace skald::gpu {

/// The numbers of a tuning; 0: it has no such number.
struct Cut {
  int panels = 0, steps = 0, unroll = 0;
  int pages = 0, most_blocks = 0;
  int blocks = 0;
};

template <class Args>
struct Variant {
  uint32_t format;  // of weights, or of keys and values
  Cut cut;
  Launch<Args> launch;
};
using ProductVariant = Variant<ProductArgs>;
using PartsVariant = Variant<AttentionArgs>;

template <class Tuning>
constexpr Cut cut_of_product() {
  return {.panels = Tuning::kPanels, .steps = Tuning::kSteps, .unroll = Tuning::kUnroll, .blocks = Tuning::kBlocks};
}
template <class Tuning>
constexpr Cut cut_of_parts() {
  return {.pages = Tuning::kPages, .most_blocks = Tuning::kMostBlocks, .blocks = Tuning::kBlocks};
}

/// Products of one row; of a device.
template <class Target>
std::vector<ProductVariant> half_variants();
template <class Target>
std::vector<ProductVariant> code_variants();
/// Attention of heads of kPartsColumns columns.
inline constexpr int kPartsColumns = 128;
template <class Target>
std::vector<PartsVariant> parts_variants();

}  // namespace skald::gpu
