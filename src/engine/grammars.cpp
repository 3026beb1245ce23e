#include "engine/grammars.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "sampling/grammar/read_grammar.h"

namespace skald {

static constexpr size_t kMostKept = 16;

void Grammars::forget(const GrammarParams& params) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const Known& known) { return known.params == params; });
}

std::shared_ptr<CompiledGrammar> Grammars::compiled(const GrammarParams& params) {
  if (params.empty()) return nullptr;
  if (!tokenizer_) fail(Errc::kUnsupported, "grammar: this model has no tokenizer");
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(known_, params, &Known::params);
  if (found != known_.end()) {
    known_.splice(known_.begin(), known_, found);
    return known_.front().grammar;
  }
  if (!vocabulary_) vocabulary_ = GrammarVocabulary::of(*tokenizer_);
  const auto warn = [](const std::string& text) { log(LogLevel::kWarn, "{}", text); };
  Grammar grammar = read_grammar(params, warn, vocabulary_->markers());
  known_.push_front({params, std::make_shared<CompiledGrammar>(std::move(grammar), vocabulary_)});
  if (known_.size() > kMostKept) known_.pop_back();
  return known_.front().grammar;
}

}  // namespace skald
