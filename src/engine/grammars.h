// Grammars: those of requests, compiled, of which the last ones are kept for requests to come.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <semaphore>

#include "sampling/constraint.h"
#include "skald/grammar_params.h"

namespace skald {

class Tokenizer;

/// Any thread may use it.
class Grammars {
 public:
  /// `tokenizer` may be null, and must outlive this.
  explicit Grammars(const Tokenizer* tokenizer);

  /// Null where any text will do. What is not known yet is compiled, on half of the CPUs at most. Throws Error that names
  /// what is wrong with the grammar or what takes too long, kUnsupported without a tokenizer. What is ignored is logged.
  std::shared_ptr<CompiledGrammar> compiled(const GrammarParams& params);
  /// Gives back what is kept of a grammar that turned out to be too large.
  void forget(const GrammarParams& params);

 private:
  struct Known {
    GrammarParams params;
    std::shared_ptr<CompiledGrammar> grammar;
  };
  using Semaphore = std::counting_semaphore<>;

  std::shared_ptr<CompiledGrammar> find(const GrammarParams& params);
  std::shared_ptr<CompiledGrammar> compile(const GrammarParams& params);
  void keep(const GrammarParams& params, std::shared_ptr<CompiledGrammar> grammar);
  std::shared_ptr<const GrammarVocabulary> vocabulary();

  const Tokenizer* tokenizer_;
  Semaphore compiling_;  // how many more may
  std::once_flag has_vocabulary_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;  // made when first needed
  std::mutex mutex_;
  std::list<Known> known_;  // the last used one first
};

}  // namespace skald
