// Constraint: what may come next in a text that must be a sentence of a grammar. A copy goes on as the original does, and
// costs no more than a number: branches of a text fork it, and a branch that may have to go back keeps one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "sampling/grammar/pushdown.h"
#include "sampling/grammar/token_masks.h"
#include "skald/types.h"

namespace skald {

/// A grammar for the texts of one vocabulary. Any thread may use it.
class CompiledGrammar {
 public:
  /// Throws kBadInput or kUnsupported as PushdownProgram does. Without a vocabulary there are no masks.
  explicit CompiledGrammar(Grammar grammar, std::shared_ptr<const GrammarVocabulary> vocabulary = nullptr);

 private:
  friend class Constraint;
  // What was found out about the grammar so far, for all texts that began with it.
  struct Findings {
    Findings(const PushdownProgram& program, const std::shared_ptr<const GrammarVocabulary>& vocabulary);
    std::mutex mutex;
    Pushdown automaton;
    std::unique_ptr<TokenMasks> masks;
    std::shared_ptr<const GrammarVocabulary> vocabulary;
  };
  /// For a text that begins: those of others, or new ones where these have become many.
  std::shared_ptr<Findings> findings();

  const PushdownProgram program_;
  const std::shared_ptr<const GrammarVocabulary> vocabulary_;
  std::mutex mutex_;
  std::shared_ptr<Findings> findings_;
};

/// All functions may throw kBadInput ("too large") where a grammar's states outgrow their limit.
class Constraint {
 public:
  explicit Constraint(const std::shared_ptr<CompiledGrammar>& grammar) : Constraint(*grammar) {}
  explicit Constraint(CompiledGrammar& grammar);

  /// The tokens after which some sentence is still possible, exactly: bit i % 32 of word i / 32 is that of token i. `mask`
  /// has a bit for each token of the vocabulary. Those that end the text are in it where it may end.
  void allowed(std::span<uint32_t> mask) const;
  /// The same without the tokens that end the text.
  void allowed_texts(std::span<uint32_t> mask) const;

  /// Takes a token. False, and nothing is changed, if it is not allowed.
  bool accept(TokenId token);
  /// Takes bytes: how many of them, up to the first after which no sentence is possible. Nothing is changed unless all are.
  size_t accept_text(std::string_view text);

  /// Whether the text is a sentence.
  bool may_stop() const;
  /// Whether nothing can follow: the text is a sentence that none continues, or an end token was taken.
  bool is_over() const;
  /// The bytes that must follow, whatever comes; at most `most` of them. They may end inside of a character. Control tokens
  /// are as MarkerSpelling has them.
  std::string forced(size_t most = 4096) const;
  /// The grammar has one.
  const GrammarVocabulary& vocabulary() const { return *grammar_->vocabulary; }

 private:
  std::shared_ptr<CompiledGrammar::Findings> grammar_;
  GrammarState state_;
  bool ended_ = false;  // by a token
};

}  // namespace skald
