// Grammars: those of requests, compiled, of which the last ones are kept for requests to come, and so are refusals.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "base/digest.h"
#include "base/error.h"
#include "sampling/constraint.h"
#include "skald/grammar_params.h"

namespace skald {

class Tokenizer;

/// Any thread may use it.
class Grammars {
 public:
  /// `tokenizer` may be null, and must outlive this.
  explicit Grammars(const Tokenizer* tokenizer);

  /// Returns null where any text will do. A grammar that is not known yet is compiled. Throws Error that names the grammar's
  /// fault or the part that takes too long, kUnsupported without a tokenizer. Ignored parts are logged.
  std::shared_ptr<CompiledGrammar> compiled(const GrammarParams& params);
  /// Rejects a grammar that turned out to be too large: gives back its memory, and throws `why` for it from now on.
  void refuse(const GrammarParams& params, const Error& why);

 private:
  struct Known {
    Sha256Sum key;
    std::shared_ptr<CompiledGrammar> grammar;
    std::function<void()> refuse;  // instead: the error of its rejection
  };

  std::shared_ptr<CompiledGrammar> find(const Sha256Sum& key);
  std::shared_ptr<CompiledGrammar> compile(const GrammarParams& params, const Sha256Sum& key);
  void keep(Known known);
  std::shared_ptr<const GrammarVocabulary> vocabulary();

  const Tokenizer* tokenizer_;
  std::once_flag has_vocabulary_;
  std::shared_ptr<const GrammarVocabulary> vocabulary_;  // made when first needed
  std::mutex mutex_;
  std::list<Known> known_;  // the last used one first
};

}  // namespace skald
