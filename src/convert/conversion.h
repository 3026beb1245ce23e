// Conversion: a Hugging Face folder as the metadata and the tensors of a GGUF file, which are made in pieces when wanted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/meta.h"
#include "base/thread_pool.h"
#include "convert/checkpoint.h"
#include "convert/hf_family.h"
#include "convert/sentence_modules.h"
#include "convert/stored_view.h"
#include "convert/tokenizer.h"
#include "tensor/tensor.h"

namespace skald {

struct ConvertOptions {
  /// Type of the matrices: a format's name ("f16", "q8_0"); empty: as the checkpoint has them (F8 as bf16, F64 as f32).
  /// Vectors, norms, routers and position tables are f32 always.
  std::string type = {};
  TokenizerOptions tokenizer = {};
  /// Whether a tokenizer that cannot be converted is an error; if not, it is a line in the log.
  bool need_tokenizer = true;
  /// Whether layers that predict further tokens are taken, where the checkpoint has them and the family's are known.
  bool layers_ahead = true;
};

class Conversion {
 public:
  struct Tensor {
    std::string name;
    TensorDesc desc;
    LazyTensor data;
  };

  /// Reads the configuration and the heads of the checkpoint's files. Checks by the family's graph that every tensor is
  /// there, that each has its shape and that none is left. Throws an Error that names the file, key or tensor.
  Conversion(const HfDirectory& dir, const ConvertOptions& options);
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  const Meta& meta() const { return meta_; }
  /// For changes by the owner of the conversion, before others read it; the tensors stay as they are.
  Meta& meta() { return meta_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  int64_t bytes() const;

  /// Returns the tensor's bytes where they lie in the checkpoint as the GGUF file wants them, aligned to their elements; the
  /// Conversion must outlive them.
  std::optional<std::span<const std::byte>> in_place(const Tensor& tensor) const;
  /// Hands out the tensor's bytes in pieces, in order, and gives the pages that were read for it back to the system.
  void give(const Tensor& tensor, ThreadPool& pool, const std::function<void(std::span<const std::byte>)>& take) const;

 private:
  void add_computed(const Hyperparameters& from);
  void add(std::string name, LazyTensor data, const Format* wanted);
  void check(const HfFamily& family) const;
  void add_general_keys(const std::string& name, const Format* wanted);

  Checkpoint checkpoint_;
  SentenceModules modules_;
  std::deque<std::vector<float>> computed_values_;
  std::deque<StoredTensor> computed_;  // of these values
  Meta meta_;
  std::vector<Tensor> tensors_;
};

}  // namespace skald
