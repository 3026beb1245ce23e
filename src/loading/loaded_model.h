// LoadedModel: a model's metadata, weights, family and tokenizer, checked against each other.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/cpu/packed_weights.h"
#include "base/meta.h"
#include "base/meta_overrides.h"
#include "graph/net.h"
#include "io/gguf.h"
#include "loading/step_model.h"
#include "models/family.h"
#include "skald/model.h"
#include "tensor/buffer.h"
#include "text/tokenizer.h"

namespace skald {

class Conversion;

/// Weights by name. The bytes belong to whoever made the set.
struct WeightSet {
  struct Weight {
    const GgufType* type;
    Shape shape;
    const std::byte* data;
    int64_t bytes;
  };
  std::unordered_map<std::string, Weight> weights;

  /// Throws kUnsupported naming the tensor when the engine cannot compute with its type.
  std::optional<TensorDesc> find(std::string_view name) const;
  WeightPlace place(std::string_view name) const;
};

class LoadedModel {
 public:
  ~LoadedModel();
  /// Throws what the family or its weights complain about; `name` is used where the file has no general.name.
  static std::shared_ptr<const LoadedModel> from_gguf(Gguf gguf, const std::string& name, LoadOptions options = {});

  /// A model whose weights lie in memory of ours (random weights of a shape).
  static std::shared_ptr<const LoadedModel> from_memory(Meta meta, WeightSet weights, std::vector<Buffer> memory,
                                                        LoadOptions options = {});

  /// A Hugging Face folder: tensors that lie in its files as they are wanted are used there, the others made in memory; all
  /// of them with LoadOptions::mmap false.
  static std::shared_ptr<const LoadedModel> from_directory(const std::string& path, LoadOptions options = {});

  const Meta& meta() const;
  /// Rows that were packed are no longer readable here after step_model(), but in a mapped file.
  const WeightSet& weights() const { return weights_; }
  const std::string& name() const { return name_; }
  const std::string& arch() const { return arch_; }
  int64_t n_vocab() const { return n_vocab_; }
  int64_t n_ctx_train() const { return n_ctx_train_; }
  int64_t n_parameters() const;
  int64_t weight_bytes() const;
  /// Those of the weights that lie in a file, whose memory the system counts as available as long as it is mapped.
  int64_t file_bytes() const { return gguf_ ? weight_bytes() : bytes_in_checkpoint_; }
  /// The format that most of the parameters have: "q8_0".
  std::string main_format() const;

  /// nullptr for a file without a tokenizer that this build knows. Made when first asked for; any thread may ask.
  const Tokenizer* find_tokenizer() const;
  /// Throws kUnsupported or kBadFile saying why there is none.
  const Tokenizer& tokenizer() const;

  /// What the cache of each layer must hold.
  const std::vector<KvLayerSpec>& kv_layers() const { return kv_layers_; }
  /// Whether the first tokens of its sequences see each other in both directions, up to a token that ends them.
  bool has_prefix() const { return prefix_end_ >= 0; }
  /// How many tokens of the prompt do so: KvSequence::set_prefix wants to know. 0 for models without. Throws kBadInput for a
  /// prompt that lacks the token which ends them, or has none before it.
  int64_t prefix_length(std::span<const TokenId> prompt) const;
  /// The step's graph for at most this many rows.
  Graph build_graph(StepCapacity capacity) const;
  /// The weights that matmuls would read faster in panels.
  std::vector<PackJob> pack_jobs() const;
  /// What steps read of the weights; after step_model().
  std::vector<std::span<const std::byte>> bytes_in_use() const;
  /// How many these are: a weight that is read by rows and by matmuls, as tied embeddings are, counts in both forms.
  int64_t held_bytes() const;
  /// For runners; the model must outlive it. When first asked for, the weights of matmuls are repacked (unless the options
  /// say no) and the memory of those that nothing else reads is given back; any thread may ask.
  StepModel step_model() const;

 private:
  explicit LoadedModel(LoadOptions options);
  void add_converted(ThreadPool& pool);
  void settle(const std::string& name);
  void read_meta(const std::string& name);
  void pack() const;
  WeightPlace place(std::string_view name) const;
  void give_back_rows(std::string_view name) const;

  LoadOptions options_;
  MetaOverrides overrides_;  // applied already
  std::optional<Gguf> gguf_;
  std::unique_ptr<const Conversion> conversion_;
  int64_t bytes_in_checkpoint_ = 0;
  Meta meta_;
  std::vector<Buffer> memory_;
  WeightSet weights_;
  std::string name_, arch_;
  const Family* family_ = nullptr;
  std::vector<KvLayerSpec> kv_layers_;
  mutable std::once_flag packed_once_;
  mutable std::unique_ptr<PackedWeights> packed_;
  mutable std::once_flag tokenizer_once_;
  mutable std::unique_ptr<Tokenizer> tokenizer_;
  mutable std::string tokenizer_error_;
  int64_t n_vocab_ = 0, n_ctx_train_ = 0;
  TokenId prefix_end_ = -1;
};

}  // namespace skald
