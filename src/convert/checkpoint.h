// Checkpoint: the tensors of a Hugging Face folder, in any files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "convert/hf_directory.h"
#include "convert/stored_tensor.h"
#include "io/safetensors.h"

namespace skald {

class Checkpoint {
 public:
  /// Maps model.safetensors, or the shards that model.safetensors.index.json lists. Throws kNotFound where there is neither
  /// or a shard is missing, kUnsupported for weights quantised in ways that are not known here, and as the files' reader.
  explicit Checkpoint(const HfDirectory& dir);
  /// Takes tensors that another owner keeps. Throws kBadFile for a name that is there twice.
  explicit Checkpoint(std::vector<StoredTensor> tensors);

  Checkpoint(Checkpoint&&) noexcept = default;
  Checkpoint& operator=(Checkpoint&&) noexcept = default;

  /// Returns nullptr when there is none, or one of whole numbers. A name counts with or without the prefixes of some
  /// checkpoints: "model.norm.weight" is also "norm.weight" or "language_model.model.norm.weight".
  const StoredTensor* find(std::string_view name) const;
  const std::vector<StoredTensor>& tensors() const { return sources_; }

  /// Gives a tensor's pages back to the system, which reads them again when they are wanted; does nothing for a tensor that
  /// is not of this checkpoint.
  void give_back(const StoredTensor& tensor) const;

 private:
  void list_names();

  std::vector<Safetensors> files_;
  std::vector<StoredTensor> sources_;
  std::unordered_map<std::string_view, size_t> by_name_;  // keys are the names in sources_, which moves keep in place
};

}  // namespace skald
