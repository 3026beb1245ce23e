// LoadedModel: a model's metadata, weights, family and tokenizer, checked against each other. Nothing of it changes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/meta.h"
#include "base/meta_overrides.h"
#include "graph/net.h"
#include "loading/step_model.h"
#include "loading/vector_params.h"
#include "loading/weight_set.h"
#include "models/family.h"
#include "skald/model.h"
#include "tensor/buffer.h"

namespace skald {

class Tokenizer;
class WeightStore;

class LoadedModel {
 public:
  ~LoadedModel();
  /// Throws the errors of the family and its weights; `name` is used where the file has no general.name.
  static std::shared_ptr<const LoadedModel> from_gguf(Gguf gguf, const std::string& name, const LoadOptions& options = {});

  /// Makes a model whose weights lie in memory of its own (random weights of a shape).
  static std::shared_ptr<const LoadedModel> from_memory(Meta meta, WeightSet weights, std::vector<Buffer> memory,
                                                        const LoadOptions& options = {});

  /// Loads a Hugging Face folder: tensors that lie in its files as they are wanted are used there, the others made in
  /// memory. With LoadOptions::mmap false all are made in memory.
  static std::shared_ptr<const LoadedModel> from_directory(const std::string& path, const LoadOptions& options = {});

  const Meta& meta() const { return meta_; }
  const WeightSet& weights() const;
  const std::string& name() const { return name_; }
  const std::string& arch() const { return arch_; }
  const MetaOverrides& overrides() const { return overrides_; }
  int64_t n_vocab() const { return n_vocab_; }
  int64_t n_ctx_train() const { return n_ctx_train_; }
  /// n_ctx_train(), as many times longer as overrides of RoPE's scaling make it.
  int64_t n_ctx_scaled() const { return n_ctx_scaled_; }
  int64_t n_parameters() const { return weights().parameters(); }
  int64_t weight_bytes() const { return weights().bytes(); }
  /// Returns those of the weights that lie in a file, whose memory the system counts as available as long as it is mapped.
  int64_t file_bytes() const;
  /// Of its metadata with the overrides, and of its weights (WeightStore::sum, which names its errors).
  Sha256Sum fingerprint() const;
  /// Returns the format that most of the parameters have: "q8_0".
  std::string main_format() const { return weights().main_format(); }

  /// Returns nullptr for a file without a tokenizer that this build knows. Made when first asked for; any thread may ask.
  const Tokenizer* find_tokenizer() const;
  /// Throws kUnsupported or kBadFile saying why there is none.
  const Tokenizer& tokenizer() const;

  /// Returns the states that its operations keep between steps.
  const std::vector<StateSpec>& states() const { return states_; }
  /// Tells whether no token sees later ones, but for a prefix: else a text's tokens must be in one step, and the model
  /// writes none.
  bool causal() const { return causal_; }
  /// Throws kUnsupported for a model that is not causal.
  void want_writer() const;
  /// Returns whether the first tokens of its sequences see each other in both directions, up to a token that ends them.
  bool has_prefix() const { return prefix_end_ >= 0; }
  /// Returns how many tokens of the prompt do so: KvSequence::set_prefix wants to know. 0 for models without. Throws
  /// kBadInput for a prompt that lacks the token which ends them, or has none before it.
  int64_t prefix_length(std::span<const TokenId> prompt) const;
  /// Makes the step's graph for at most this many rows. Throws kUnsupported where the states are asked for of a family that
  /// does not tell them from logits.
  Graph build_graph(StepCapacity capacity) const;

  /// Returns the numbers of the states after the last norm.
  int64_t d_states() const { return d_states_; }
  const VectorParams& vector_params() const { return vector_params_; }
  /// Returns whether the file has a classifier that scores texts.
  bool has_scores() const { return has_scores_; }
  /// Returns the pooling that the classifier reads of a text.
  Pooling score_pooling() const;
  /// Builds the graph of pooled states (texts, d_states), given as Graph::bound: with `scores` by the classifier (texts,
  /// labels), else by the dense layers that the file has (texts, n).
  Graph build_head(int64_t texts, bool scores) const;
  /// For runners; the model must outlive it. Throws kBadFile naming a tensor of floats with a value that is not finite:
  /// small ones are looked at here, large ones while they are packed.
  StepModel step_model() const;

  /// Returns how many layers of the file predict tokens further on (nextn_predict_layers).
  int64_t layers_ahead() const;
  /// Returns their bytes.
  int64_t bytes_ahead() const;
  /// Returns the states that the first of them keeps between steps; throws as step_model_with_hidden().
  std::vector<StateSpec> states_ahead() const;
  /// Likewise, for runners beside those of ahead_model(): their steps give hidden rows, and the weights of both are loaded.
  /// Throws kUnsupported, naming nextn_predict_layers, for a model without such layers or of a family whose are not known.
  StepModel step_model_with_hidden() const;
  /// For a runner of the first layer that predicts further tokens: its steps take and give hidden rows. `weights` are what
  /// the runner of step_model_with_hidden() loaded.
  StepModel ahead_model(std::shared_ptr<const DeviceWeights> weights) const;

 private:
  LoadedModel(const LoadOptions& options, std::string name);
  /// Adds the options' adapters to the weights.
  void merge(const LoadOptions& options);
  /// Reads the metadata, and checks hyperparameters and weights by building a graph.
  void check();
  WeightLookup lookup() const;
  /// Adds the whole graph of a step, or of a layer ahead.
  void build_into(Graph& graph, const StepCapacity& capacity) const;
  void want_layer_ahead() const;

  /// Takes the control vectors that the options name.
  void take_control_vectors();
  /// Makes the graph of a step, or of a step and a layer ahead, add them. Throws kUnsupported naming an architecture where
  /// they have no place.
  Graph steered(Graph graph) const;
  /// Takes the bases of the calibration that the options name, if they name one, and checks all that there are.
  void calibrate();

  MetaOverrides overrides_;
  std::string calibration_;
  std::vector<ControlVector> control_vectors_;
  LayerRange control_layers_;
  std::vector<int64_t> steered_;  // layers with a vector
  Meta meta_;                     // with the overrides
  std::shared_ptr<WeightStore> store_;
  std::string name_, arch_;
  const Family* family_ = nullptr;
  std::vector<StateSpec> states_;
  mutable std::once_flag tokenizer_once_, values_once_;
  mutable std::unique_ptr<Tokenizer> tokenizer_;
  mutable std::string tokenizer_error_;
  int64_t n_vocab_ = 0, n_ctx_train_ = 0, n_ctx_scaled_ = 0;
  TokenId prefix_end_ = -1;
  bool causal_ = true, has_scores_ = false;
  int64_t d_states_ = 0;
  VectorParams vector_params_;
};

}  // namespace skald
