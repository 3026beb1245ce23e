// WeightStore: the memory of a model's weights: a GGUF file, a Hugging Face folder or buffers of ours.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/digest.h"
#include "io/gguf.h"
#include "loading/weight_set.h"
#include "tensor/buffer.h"

namespace skald {

class Conversion;

class WeightStore : public WeightSource {
 public:
  explicit WeightStore(Gguf gguf);
  WeightStore(WeightSet weights, std::vector<Buffer> memory);
  /// Tensors that lie in the folder's files as they are wanted are used there; the others are made in memory. All of them
  /// without `in_place`. `on_progress` hears of those that are made.
  WeightStore(std::unique_ptr<const Conversion> conversion, bool in_place, const OnProgress& on_progress = {});
  ~WeightStore() override;

  /// Takes its tensors too, in place of those of the same names. To be called before others read the weights.
  void add(Gguf more);
  /// Likewise takes floats that are in no file.
  void add(const std::string& name, std::span<const float> values);

  /// Replaces a weight, or adds one. To be called before others read the weights.
  void replace(const std::string& name, const TensorDesc& desc, Buffer rows);
  /// Returns a weight's rows, joined where they lie in pieces. Throws kUnsupported for one in panels.
  const std::byte* rows(const std::string& name) const;

  const WeightSet& weights() const { return weights_; }
  /// Returns those of the weights that lie in a file, whose memory the system counts as available as long as it is mapped.
  int64_t file_bytes() const { return file_bytes_; }

  /// Of all names, types and shapes, and of samples of every weight's bytes. Throws kUnsupported where some were released
  /// before it was first asked for.
  const Sha256Sum& sum() const;

  WeightPlace place(std::string_view name) const override;
  std::string mark() const override { return hexadecimal(sum()); }
  bool in_panels(std::string_view name) const override { return weights_.in_panels(name); }
  void release(std::string_view name) const override;
  bool in_file() const override { return gguf_.has_value(); }
  std::shared_ptr<const DeviceWeights> shared(const std::string& key, const Load& load) const override;

 private:
  WeightPlace join(std::string_view name) const;

  std::optional<Gguf> gguf_, more_;
  std::unique_ptr<const Conversion> conversion_;
  std::vector<Buffer> memory_;
  std::unordered_set<std::string> made_;   // weights in memory of ours that are in no file
  std::unordered_set<std::string> added_;  // likewise, floats that were added and stay
  WeightSet weights_;
  int64_t file_bytes_ = 0;
  // The backends' forms of the weights. The model's content is the same before and after: callers see a constant model.
  mutable std::mutex shared_mutex_;
  mutable std::map<std::string, std::shared_ptr<const DeviceWeights>> shared_;
  mutable std::mutex places_mutex_;                         // of the members below
  mutable std::unordered_map<std::string, int> readers_;    // engines that have a weight's rows
  mutable std::unordered_map<std::string, Buffer> joined_;  // of pieces
  mutable std::unordered_set<std::string> released_;        // whose bytes are gone
  mutable std::optional<Sha256Sum> sum_;
};

}  // namespace skald
