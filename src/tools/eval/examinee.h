// Examinee: a model with a cache laid out for some kinds of attention, which reads a prompt and goes on from it by each.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tools/eval/evaluate.h"

namespace skald {

class Examinee {
 public:
  /// Returns the text of a reply; `truncated`: it did not end by itself.
  using ReadAnswer = std::function<std::string(std::span<const TokenId> said, bool truncated)>;

  Examinee(const LoadedModel& model, const EngineOptions& options);

  /// Reads the prompt, but for its last token.
  void read(const EvalCase& task);
  /// Goes on from it: greedily, or with the case's continuation. The cache must be laid out for the method.
  EvalAnswer answer(const EvalCase& task, const EvalMethod& method, const ReadAnswer& read);
  void forget();

 private:
  EvalAnswer say(const EvalCase& task, const EvalMethod& method, const ReadAnswer& read);
  EvalAnswer predict(const EvalCase& task, const EvalMethod& method);

  const LoadedModel& model_;
  int64_t chunk_;
  Compute compute_;
  KvSequence prompt_;
  std::vector<float> dense_;  // (following tokens, n_vocab): logits of dense attention, once they are computed
};

}  // namespace skald
