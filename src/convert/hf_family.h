// HfFamily: how models of some classes of Hugging Face become those of a GGUF architecture; one file of families/ each.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/meta.h"
#include "convert/checkpoint.h"
#include "convert/hyperparameters.h"
#include "convert/requirements.h"
#include "convert/stored_view.h"

namespace skald {

/// The change of one source; `m` has the hyperparameters that were written.
using Transform = LazyTensor (*)(const StoredView& in, const MetaView& m);

/// One row of a family's table: where a tensor of the GGUF file comes from. In both names `#` stands for the layer; in
/// `from`, `@` for an expert (or a head): those that there are, from 0 on, become the first dimension of one tensor. A `to`
/// without ".weight" or ".bias" stands for two tensors, and so does its `from`, unless they are `whole`. Rows without a
/// source count for nothing, and of several for one tensor the first that has one counts.
struct TensorRule {
  std::string_view to, from;
  Transform transform = nullptr;  // none: as it is
  bool whole = false;
};
inline constexpr bool kWholeName = true;

/// The tensors of layers that predict further tokens. In names of a checkpoint, `%` is such a layer's number from 0 on and
/// `#` its number after the other layers.
struct TablesAhead {
  /// What is in front of their tensors in place of the family's "model.layers.#". A layer that they keep as two has two of
  /// them, whose tensors are taken in this order.
  std::array<std::string_view, 2> blocks = {"model.layers.#"};
  std::span<const TensorRule> tensors = {};  // of their own; empty: the family's layers are left out
  /// Writes keys that count layers, `n` more than `m` has them.
  void (*describe)(int64_t n, const MetaView& m, Hyperparameters& out) = nullptr;
};

struct HfFamily {
  std::span<const std::string_view> classes;  // config.json's architectures: "LlamaForCausalLM"
  std::string_view arch;                      // GGUF's general.architecture
  void (*describe)(const HfConfig& c, Hyperparameters& out);
  /// Tables, in order.
  std::array<std::span<const TensorRule>, 8> tensors;
  /// Patterns (as of file names) of tensors that are left out beside those that no family has a use for.
  std::span<const std::string_view> ballast = {};
  /// JSON: transformers' defaults where config.json is silent and other families have other ones.
  std::string_view defaults = "{}";
  /// Tells the family from others of the same classes, by all of config.json; none: it is the one where no other fits.
  bool (*is_it)(const HfConfig& c) = nullptr;
  /// The feed-forward's activations, by transformers' names: another one is rejected. Empty: describe() looks at it.
  std::span<const std::string_view> activations = kSilu;
  /// Whether the share of a head that is rotated is looked at; elsewhere another one than all of it is refused.
  bool partial_rope = false;
  /// Whether describe() looks at the direction of attention; elsewhere tokens that see later ones are rejected.
  bool encoder = false;
  /// Writes the keys that only the checkpoint's tensors tell.
  void (*measure)(const Checkpoint& checkpoint, const HfConfig& c, Hyperparameters& out) = nullptr;
  TablesAhead ahead = {};
  /// Whether describe() multiplies weights by factors that no key of the file tells, so that no adapter finds them.
  bool hidden_factors = false;
};

/// Returns all families, one per file (generated).
std::span<const HfFamily* const> hf_families();

/// For the `architectures` of a config.json. Throws kUnsupported naming them and the known classes.
const HfFamily& find_hf_family(const HfConfig& config);

/// Writes the family's keys of a configuration, `config.text()` over its defaults. Throws kUnsupported for a value that the
/// family, or most families by default, cannot compute.
void describe(const HfFamily& family, const HfConfig& config, Hyperparameters& out);

}  // namespace skald
