// TextReader: computes the states of texts, several in a step, and pools them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "embedding/pool.h"
#include "loading/loaded_model.h"
#include "skald/embedder.h"
#include "stepping/runner.h"

namespace skald {

class TextReader {
 public:
  /// `model` and `backend` must outlive it; `options.cache.n_ctx` is not 0.
  TextReader(const LoadedModel& model, Backend& backend, const EmbedderOptions& options);

  /// Compiles the graph of all texts: a model that cannot be run fails here.
  void compile() { runner_.compile(); }
  /// Each text's states, pooled; kNone: all of them. No text is empty or longer than the context. `stop`, if not empty, is
  /// asked before each step; where it says so, the result is empty.
  std::vector<std::vector<float>> read(std::span<const EmbedInput> inputs, Pooling pooling,
                                       const std::function<bool()>& stop = {});
  /// Returns how many of the first ones are read together: those that fit into a step, or one that does not.
  size_t of_a_step(std::span<const EmbedInput> inputs) const;

 private:
  struct Text {
    const EmbedInput* input;
    KvSequence kv;
    Pool pool;
    int64_t done = 0;  // tokens that were read

    int64_t left() const { return std::ssize(input->tokens) - done; }
  };
  void step(std::vector<Text>& texts);

  const LoadedModel& model_;
  int64_t rows_;      // most tokens of a step, but for a text that must be read whole
  int64_t together_;  // most texts of a step
  Runner runner_;
};

}  // namespace skald
