// Mixes: which format each tensor of a quantised model gets, by llama.cpp's names and choices.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/meta.h"
#include "tensor/format.h"

namespace skald {

/// A mix of formats that `skald quantize` makes.
struct QuantizeMix {
  std::string_view name;     // "Q4_K_M"
  int file_type;             // of general.file_type
  std::string_view format;   // of most tensors; empty: all stay as they are
  std::string_view summary;  // a few words
};

/// Returns all of them, smallest first.
std::span<const QuantizeMix> quantize_mixes();

/// By its name in any case, or another name that llama.cpp has for it ("Q4_K"). Throws kBadInput, and kUnsupported for a mix
/// that can be read but not made.
const QuantizeMix& find_mix(std::string_view name);

/// The numbers on which the choice depends, from a model's metadata; missing ones have no influence.
struct MixModel {
  explicit MixModel(const Meta& meta);

  bool falcon = false;
  bool shared_70b = false;  // 80 layers, and several heads share keys and values: those are a small part of the model
  int64_t n_layers = 0, n_experts = 0;
  int64_t heads_per_kv = 0;
};

enum class MixPart : uint8_t { kOutput, kTokenEmbedding, kAttnV, kAttnK, kAttnOutput, kFfnDown, kOther };

/// By a tensor's name. All that values of attention come from counts as kAttnV.
MixPart mix_part(std::string_view tensor);

/// One tensor among those of its part.
struct MixPlace {
  const MixModel& model;
  MixPart part;
  int64_t index = 0, count = 0;  // which of how many, by layers
  int64_t columns = 0, matrices = 1;
  bool weighted = false;  // an importance matrix is used
};

/// Returns the format of a tensor; that of `mix` for most if there is no reason for another one. Not for mixes without a
/// format.
const Format& mixed_format(const QuantizeMix& mix, const MixPlace& place);

/// Returns the format that takes another's place where rows of `columns` are no whole blocks; the same one where they are.
const Format& fitting_format(const Format& format, int64_t columns);

}  // namespace skald
