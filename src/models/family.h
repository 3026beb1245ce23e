// Family: a model architecture, one file of this folder each; the build lists them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/meta.h"
#include "graph/net.h"

namespace skald {

/// How a family's files with a classifier score a text by one pooled vector: parts/pooled_head.h.
struct ScoreHead {
  std::optional<Activation> activation = {};  // after the dense layer; none: tanh
  bool of_mean = false;                       // of all tokens, where the file does not say it; else of one
};

struct Family {
  std::string_view arch;  // GGUF's general.architecture
  /// Builds the step's graph; `m` reads the keys below "<arch>.". Returns the logits (outputs, n_vocab), or Net::states() of
  /// encoders.
  Tensor (*build)(Net& net, const MetaView& m);
  std::string_view covers = {};    // the models that say so of themselves, for people
  std::string_view verified = {};  // whose logits, or states, it gives
  ScoreHead score_head = {};
};

/// Returns all families, one per file (generated).
std::span<const Family* const> families();

/// Throws kUnsupported naming `arch` and the known ones.
const Family& find_family(std::string_view arch);

}  // namespace skald
