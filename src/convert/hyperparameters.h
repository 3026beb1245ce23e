// The output of a family's descriptor for config.json: keys below "<arch>.", and tensors that are computed.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/meta.h"
#include "convert/hf_config.h"
#include "convert/stored_view.h"
#include "models/parts/hparams.h"

namespace skald {

/// By the names of tables; a single run of 0 rows is all of them.
using FactorTable = std::map<std::string, std::vector<RowFactor>, std::less<>>;

class Hyperparameters {
 public:
  Hyperparameters(Meta& meta, std::string arch) : meta_(meta), arch_(std::move(arch)) {}

  /// Counts and sizes are uint32, as in all GGUF files.
  void size(std::string_view key, int64_t value);
  void number(std::string_view key, float value) { meta_.set(full(key), value); }
  void flag(std::string_view key, bool value) { meta_.set(full(key), value); }
  /// One for each layer.
  void sizes(std::string_view key, const std::vector<int64_t>& values);
  void numbers(std::string_view key, std::vector<float> values) { meta_.set(full(key), MetaArray{std::move(values)}); }
  void flags(std::string_view key, std::vector<bool> values) { meta_.set(full(key), MetaArray{std::move(values)}); }
  void text(std::string_view key, std::string value) { meta_.set(full(key), std::move(value)); }

  void texts(std::string_view key, std::vector<std::string> values) { meta_.set(full(key), MetaArray{std::move(values)}); }
  /// Under a key that has no architecture in front.
  void size_of_all(std::string key, int64_t value);
  void numbers_of_all(std::string key, std::vector<float> values) {
    meta_.set(std::move(key), MetaArray{std::move(values)});
  }

  /// A vector that no checkpoint has; f32.
  void tensor(std::string name, std::vector<float> values);
  const std::deque<std::pair<std::string, std::vector<float>>>& tensors() const { return tensors_; }

  /// Sets the factor of a tensor of the file, by its name as in tables ("blk.#.ssm_in.weight"). There is one, or one for
  /// each run of rows, which together are all of them.
  void multiply(std::string tensor, float factor) { multiply(std::move(tensor), {{0, factor}}); }
  void multiply(std::string tensor, std::vector<RowFactor> runs) { factors_.emplace(std::move(tensor), std::move(runs)); }
  const FactorTable& factors() const { return factors_; }

  /// Leaves tensors of the checkpoint out, by a pattern as of file names, also where a table has a use for them.
  void leave_out(std::string pattern) { ballast_.push_back(std::move(pattern)); }
  const std::vector<std::string>& ballast() const { return ballast_; }

  /// Notes the number of layers that predict further tokens, and patterns of their tensors, which are told of where they
  /// are left out.
  void note_layers_ahead(int64_t n, std::vector<std::string> patterns) {
    layers_ahead_ = n;
    of_layers_ahead_ = std::move(patterns);
  }
  int64_t layers_ahead() const { return layers_ahead_; }
  const std::vector<std::string>& of_layers_ahead() const { return of_layers_ahead_; }

 private:
  std::string full(std::string_view key) const { return arch_ + "." + std::string(key); }

  Meta& meta_;
  std::string arch_;
  std::deque<std::pair<std::string, std::vector<float>>> tensors_;
  FactorTable factors_;
  std::vector<std::string> ballast_, of_layers_ahead_;
  int64_t layers_ahead_ = 0;
};

/// context_length, embedding_length, block_count, feed_forward_length, the numbers of heads, the epsilon of the norms under
/// `eps_key` (kRmsNormEps or kLayerNormEps), and the size of heads where the configuration gives it.
void decoder_keys(const HfConfig& c, Hyperparameters& out, std::string_view eps_key = kRmsNormEps);

/// The differences between families in how a rotary embedding is written.
struct RopeForm {
  std::string_view layer_kind = {};  // "full_attention": whose parameters count, where the configuration tells kinds apart
  bool yarn_magnitude = true;        // whether YaRN's factor of rotated values is written, which some readers work out
};

/// The rotary embedding for heads of `d_head`, in both spellings of configurations (rope_parameters, or rope_theta and
/// rope_scaling): rope.freq_base, rope.dimension_count, rope.scaling.* and the tensors rope_freqs or rope_factors_*. Throws
/// kUnsupported for types that the engine has not and, without a `layer_kind`, for parameters of one kind of layers.
void rope_keys(const HfConfig& c, Hyperparameters& out, int64_t d_head, const RopeForm& form = {});

/// The rotary embedding of layers with a window, for readers that never scale it: rope.freq_base_swa and
/// rope.dimension_count_swa, where the configuration tells it from that of the others. Throws kUnsupported where it is
/// scaled, and for parameters of other kinds of layers.
void local_rope_keys(const HfConfig& c, Hyperparameters& out, int64_t d_head);

/// rope.dimension_sections of M-RoPE, which text has no use for.
void rope_section_keys(const HfConfig& c, Hyperparameters& out);

/// Writes activation, for architectures that read it: the configuration's `key`, or `usual` (names of transformers).
void activation_key(const HfConfig& c, Hyperparameters& out, std::string_view usual,
                    const ConfigKeys& key = "activation_function");

/// attention.sliding_window, where the configuration has one and does not switch it off.
void window_key(const HfConfig& c, Hyperparameters& out);

/// Writes attention.scale, where Gemma's query_pre_attn_scalar is not the one of readers. They take the size of a head, or
/// an equal share of the model in the largest one, which they know by its `n_layers`.
void query_scale_key(const HfConfig& c, Hyperparameters& out, int64_t n_layers);

}  // namespace skald
