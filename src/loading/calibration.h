// Calibrations of the key index: for layers of one model, the bases in which sparse decoding scores keys. `skald calibrate`
// makes them; they lie in a GGUF file of their own, or in the model's.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/gguf.h"
#include "loading/weight_set.h"

namespace skald {

/// Tells models apart by their norms, which no type of the weights changes.
class ModelMark {
 public:
  /// Returns whether a tensor is one of those by which models are told apart.
  static bool counts(std::string_view tensor, const Shape& shape, const Format* format);

  ModelMark() = default;
  explicit ModelMark(const WeightSet& weights);
  explicit ModelMark(const Gguf& model);
  /// Adds a tensor that counts.
  void add(std::string name, std::span<const std::byte> data);

  /// Returns the sum, as hexadecimal digits.
  std::string sum() const;

 private:
  std::map<std::string, std::vector<std::byte>> norms_;
};

struct CalibrationTexts {
  std::string model, dataset;  // names for people
  int64_t tokens = 0;
};

/// The matrices of one layer: (n_kv_heads, d, d) each, a component in each row.
struct LayerBasis {
  std::string layer;  // "blk.3."
  int64_t n_kv_heads, d;
  std::vector<float> keys, queries;
};

/// Writes the file. Throws as GgufWriter::write.
void write_calibration(const std::string& path, const ModelMark& model, const CalibrationTexts& texts,
                       std::span<const LayerBasis> layers);

/// Reads a file of that kind. Throws kBadFile, naming the file and the tensor, for one that is none, and as
/// check_index_bases().
Gguf open_calibration(const std::string& path);

/// Throws kBadFile naming the model that the calibration at `path` was made for, where that is another one.
void want_same_model(const Gguf& calibration, const std::string& path, const ModelMark& model);

/// Checks all bases among the weights: that each layer has both, that they are finite, and that by them queries meet keys as
/// without them. Throws kBadFile naming the tensor.
void check_index_bases(const WeightSet& weights);

}  // namespace skald
