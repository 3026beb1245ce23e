#include "sampling/constraint.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace skald {

CompiledGrammar::Findings::Findings(const PushdownProgram& program, const std::shared_ptr<const GrammarVocabulary>& tokens)
    : automaton(program), masks(tokens ? std::make_unique<TokenMasks>(tokens) : nullptr), vocabulary(tokens) {}

CompiledGrammar::CompiledGrammar(Grammar grammar, std::shared_ptr<const GrammarVocabulary> vocabulary)
    : program_(std::move(grammar)),
      vocabulary_(std::move(vocabulary)),
      findings_(std::make_shared<Findings>(program_, vocabulary_)) {}

std::shared_ptr<CompiledGrammar::Findings> CompiledGrammar::findings() {
  constexpr size_t kMany = size_t{96} << 20;
  const std::lock_guard lock(mutex_);
  const auto size = [&] {
    const std::lock_guard inner(findings_->mutex);
    return findings_->automaton.memory();
  };
  if (size() > program_.memory() + kMany) findings_ = std::make_shared<Findings>(program_, vocabulary_);
  return findings_;
}

Constraint::Constraint(CompiledGrammar& grammar) : grammar_(grammar.findings()), state_(grammar_->automaton.start()) {}

void Constraint::allowed_texts(std::span<uint32_t> mask) const {
  const std::lock_guard lock(grammar_->mutex);
  SKALD_ASSERT(grammar_->masks && mask.size() >= grammar_->vocabulary->words());
  if (ended_)
    std::ranges::fill(mask, 0u);
  else
    grammar_->masks->fill(grammar_->automaton, state_, mask);
}

void Constraint::allowed(std::span<uint32_t> mask) const {
  allowed_texts(mask);
  if (!may_stop()) return;
  for (const TokenId id : grammar_->vocabulary->ends()) mask[static_cast<size_t>(id) / 32] |= 1u << id % 32;
}

bool Constraint::accept(TokenId token) {
  const GrammarVocabulary& vocabulary = *grammar_->vocabulary;
  if (token < 0 || static_cast<size_t>(token) >= vocabulary.tokens() || ended_) return false;
  if (std::ranges::find(vocabulary.ends(), token) != vocabulary.ends().end()) {
    ended_ = may_stop();
    return ended_;
  }
  const std::string& text = vocabulary.text(token);
  return !text.empty() && accept_text(text) == text.size();
}

size_t Constraint::accept_text(std::string_view text) {
  if (ended_) return 0;
  const std::lock_guard lock(grammar_->mutex);
  grammar_->automaton.begin_work();
  GrammarState state = state_;
  for (size_t i = 0; i < text.size(); ++i) {
    state = grammar_->automaton.step(state, static_cast<uint8_t>(text[i]));
    if (state == Pushdown::kDead) return i;
  }
  state_ = state;
  return text.size();
}

bool Constraint::may_stop() const {
  const std::lock_guard lock(grammar_->mutex);
  return !ended_ && grammar_->automaton.accepts(state_);
}

bool Constraint::is_over() const {
  const std::lock_guard lock(grammar_->mutex);
  return ended_ || grammar_->automaton.next_byte(state_) == Pushdown::kNoByte;
}

std::string Constraint::forced(size_t most) const {
  std::string out;
  if (ended_) return out;
  const std::lock_guard lock(grammar_->mutex);
  Pushdown& automaton = grammar_->automaton;
  automaton.begin_work();
  for (GrammarState state = state_; out.size() < most && !automaton.accepts(state);) {
    const int byte = automaton.next_byte(state);
    if (byte < 0) break;
    out += static_cast<char>(byte);
    state = automaton.step(state, static_cast<uint8_t>(byte));
  }
  return out;
}

}  // namespace skald
