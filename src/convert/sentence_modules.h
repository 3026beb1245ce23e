// Sentence-transformers' modules after a model: the pooling of its states to one vector, and the layers for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/meta.h"
#include "convert/checkpoint.h"
#include "convert/hf_directory.h"

namespace skald {

/// A dense layer without a bias or an activation.
struct DenseModule {
  std::string name;  // in a model file: "dense_2"
  Checkpoint weights;
  const StoredTensor* matrix;  // (out, in), of `weights`
};

struct SentenceModules {
  std::optional<uint32_t> pooling = {};  // as GGUF counts them
  std::vector<DenseModule> dense = {};   // in order, at most two

  /// Reads modules.json and the files that it names; nothing without it. Tells in the log of modules that a file has no
  /// place for, after which no layer is taken. Throws kUnsupported for another pooling than mean, cls and last token, and
  /// for several that are joined, and as the files' readers.
  static SentenceModules read(const HfDirectory& dir);
  /// Sets <arch>.pooling_type and the sizes of dense layers, which llama.cpp reads.
  void describe(const std::string& arch, Meta& meta) const;
};

}  // namespace skald
