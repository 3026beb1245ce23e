// Grammars: those of requests, compiled, of which the last ones are kept for requests to come.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "sampling/constraint.h"
#include "skald/grammar_params.h"

namespace skald {

class Tokenizer;

/// Any thread may use it.
class Grammars {
 public:
  /// `tokenizer` may be null, and must outlive this.
  explicit Grammars(const Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  /// Null where any text will do. Throws Error that names what is wrong with the grammar, kUnsupported without a tokenizer.
  /// What is ignored is logged.
  std::shared_ptr<CompiledGrammar> compiled(const GrammarParams& params);
  /// Gives back what is kept of a grammar that turned out to be too large.
  void forget(const GrammarParams& params);

 private:
  struct Known {
    GrammarParams params;
    std::shared_ptr<CompiledGrammar> grammar;
  };
  const Tokenizer* tokenizer_;
  std::mutex mutex_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;  // made when first needed
  std::list<Known> known_;                               // the last used one first
};

}  // namespace skald
