// What a family's descriptor writes from config.json: keys below "<arch>.", and tensors that are computed.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/meta.h"
#include "convert/hf_config.h"
#include "models/parts/hparams.h"

namespace skald {

class Hyperparameters {
 public:
  Hyperparameters(Meta& meta, std::string arch) : meta_(meta), arch_(std::move(arch)) {}

  /// Counts and sizes are uint32, as in all GGUF files.
  void size(std::string_view key, int64_t value);
  void number(std::string_view key, float value) { meta_.set(full(key), value); }
  void flag(std::string_view key, bool value) { meta_.set(full(key), value); }
  void text(std::string_view key, std::string value) { meta_.set(full(key), std::move(value)); }

  /// A vector that no checkpoint has; f32.
  void tensor(std::string name, std::vector<float> values) { tensors_.emplace_back(std::move(name), std::move(values)); }
  const std::deque<std::pair<std::string, std::vector<float>>>& tensors() const { return tensors_; }

  /// Tensors of the checkpoint to leave out, by a pattern as of file names.
  void leave_out(std::string pattern) { ballast_.push_back(std::move(pattern)); }
  const std::vector<std::string>& ballast() const { return ballast_; }

 private:
  std::string full(std::string_view key) const { return arch_ + "." + std::string(key); }

  Meta& meta_;
  std::string arch_;
  std::deque<std::pair<std::string, std::vector<float>>> tensors_;
  std::vector<std::string> ballast_;
};

/// context_length, embedding_length, block_count, feed_forward_length, the numbers of heads, the epsilon of the norms under
/// `eps_key` (kRmsNormEps or kLayerNormEps), and the size of heads where the configuration gives it.
void decoder_keys(const HfConfig& c, Hyperparameters& out, std::string_view eps_key = kRmsNormEps);

/// The rotary embedding for heads of `d_head`, in both spellings of configurations (rope_parameters, or rope_theta and
/// rope_scaling): rope.freq_base, rope.dimension_count, rope.scaling.* and the tensors rope_freqs or rope_factors_*. Throws
/// kUnsupported for types that the engine has not.
void rope_keys(const HfConfig& c, Hyperparameters& out, int64_t d_head);
/// The same for the parameters of one kind of layer ("full_attention"), where the configuration tells them apart.
void rope_keys(const HfConfig& c, Hyperparameters& out, int64_t d_head, std::string_view layer_kind);

/// activation, for architectures that read it: what the configuration says under `key`, or `usual` (names of transformers).
void activation_key(const HfConfig& c, Hyperparameters& out, std::string_view usual,
                    const ConfigKeys& key = "activation_function");

/// attention.sliding_window, where the configuration has one and does not switch it off.
void window_key(const HfConfig& c, Hyperparameters& out);

/// attention.scale, where Gemma's query_pre_attn_scalar is not what readers take: the size of a head, or an equal share of
/// the model in the largest one, which they know by its `n_layers`.
void query_scale_key(const HfConfig& c, Hyperparameters& out, int64_t n_layers);

/// expert_count, expert_used_count, and expert_feed_forward_length where the configuration has a size of its own for it.
void expert_keys(const HfConfig& c, Hyperparameters& out);

}  // namespace skald
