// Control vectors (Zou et al., arXiv 2310.01405) in GGUF files, as repeng and llama.cpp's cvector-generator write them: the
// tensor direction.<layer> has a number for each column of this layer's output.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "skald/model.h"

namespace skald {

/// The model that control vectors are for.
struct SteeredModel {
  std::string arch;
  int64_t n_layers, d_model;
};

/// Sums up the files' vectors, each times the number of its file, by layer. Layers outside of the range are left out, and
/// those where the sum is 0. A file for another architecture is taken with a line in the log. Throws an Error naming the
/// file and the tensor or key: kBadFile for another kind of file, vectors that do not fit the model and numbers that are not
/// finite; kBadInput for numbers and ranges that make no sense, and a range without a vector.
std::map<int64_t, std::vector<float>> read_control_vectors(std::span<const ControlVector> files, const LayerRange& range,
                                                           const SteeredModel& model);

}  // namespace skald
