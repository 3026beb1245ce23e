// The parameters in a model's file of the vectors that it gives for texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/meta.h"
#include "skald/pooling.h"

namespace skald {

struct VectorParams {
  std::optional<Pooling> pooling = {};     // the key pooling_type
  std::optional<Pooling> classifier = {};  // of the classifier's input: the key classifier.pooling_type
  std::vector<std::string> labels = {};    // of the classifier's outputs; empty: not said
  bool lowercase = false;                  // texts lose their capital letters first
  int64_t most_tokens = 0;                 // that a text is made for; 0: as many as the context
  std::string prompt = {};                 // stands before each text
  std::string pair_template = {};          // tokenizer.chat_template.rerank: text/pair_template.h; empty: there is none
};

/// Reads the keys below "<arch>." and "sentence_transformers.", and the template. Throws kBadFile naming the key.
VectorParams read_vector_params(const MetaView& m);

}  // namespace skald
