// Model: weights, hyperparameters and tokenizer of one loaded model. Cheap to copy; engines share it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skald/lora_file.h"
#include "skald/sampling_params.h"
#include "skald/text.h"
#include "skald/types.h"
#include "skald/vocabulary.h"

namespace skald {
class LoadedModel;
}

#pragma GCC visibility push(default)
namespace skald {

/// Names a file of vectors that are added, times `scale`, to the outputs of a model's layers (docs/control-vectors.md).
struct ControlVector {
  std::string path;
  float scale = 1;
};

/// Bounds layers, `first` and `last` among them; 0: from the first, to the last one that there is.
struct LayerRange {
  int64_t first = 0, last = 0;
};

struct LoadOptions {
  bool mmap = true;  // map the file instead of reading it into memory
  /// Overrides or adds to the file's metadata, each as KEY=TYPE:VALUE with int, float, bool or str for TYPE:
  /// "tokenizer.ggml.add_bos_token=bool:false". Texts that are wrong are kBadInput.
  std::vector<std::string> override_kv = {};
  /// Names a calibration of this model for sparse decoding (skald calibrate); empty: the one in the model's file, if any.
  std::string calibration = {};
  /// Steers the model's texts: the vectors of several files add up. Layers outside of `control_layers` have none.
  std::vector<ControlVector> control_vectors = {};
  LayerRange control_layers = {};
  /// Takes layers of a folder that predict further tokens (EngineOptions::draft, mtp), where its architecture's are known. A
  /// GGUF file has them in any case.
  bool layers_ahead = false;
  std::vector<LoraFile> loras = {};  // adapters that are added to the weights; EngineOptions::loras applies them in steps
  /// Receives the bytes of weights that are in memory, where they are read or converted: without mmap, and of folders.
  OnProgress on_progress = {};
};

class Model {
 public:
  /// Loads a GGUF file (or all shards of a split one), or a folder as Hugging Face keeps models. Throws Error naming the
  /// file and its fault.
  static Model load(const std::string& path, const LoadOptions& options = {});

  /// Returns the small story model that is part of the library.
  static Model embedded(const LoadOptions& options = {});

  /// Returns the token ids of a text; special tokens that the model wants (BOS) are added, and special-token text is
  /// recognised, unless `options` say otherwise. Throws Error (kBadInput) for a text of more than 512 MiB.
  std::vector<TokenId> tokenize(std::string_view text, EncodeOptions options = {}) const;
  /// Tokenises a text in pieces as a whole: the words of users, tools and documents never become a control token.
  std::vector<TokenId> tokenize(std::span<const TextPiece> pieces, EncodeOptions options = {}) const;

  /// Returns the text of token ids, without special tokens unless `special`. Throws Error (kBadInput) for an id outside the
  /// vocabulary.
  std::string detokenize(std::span<const TokenId> ids, bool special = false) const;

  Vocabulary vocabulary() const { return Vocabulary(loaded_); }

  /// Returns the sampling parameters of the model's file (general.sampling.*), and the library's defaults for the rest. A
  /// value that is out of range is left out with a line in the log.
  SamplingParams sampling_defaults() const;
  /// Describes the file's part of it, as "temp 0.6, top_k 20"; empty when the file says nothing.
  std::string described_sampling_defaults() const;

  /// Makes SamplingParams::dry_breakers of texts: for each text all ways in which tokens can have it, as llama.cpp finds
  /// them.
  std::vector<std::vector<TokenId>> dry_breakers(std::span<const std::string> texts) const;

  std::string name() const;          // general.name, or the file's name
  std::string architecture() const;  // general.architecture
  int64_t n_vocab() const;
  int64_t n_ctx_train() const;  // tokens of context that the model was made for

  const std::shared_ptr<const LoadedModel>& loaded() const { return loaded_; }
  explicit Model(std::shared_ptr<const LoadedModel> loaded) : loaded_(std::move(loaded)) {}

 private:
  std::shared_ptr<const LoadedModel> loaded_;
};

}  // namespace skald
#pragma GCC visibility pop
