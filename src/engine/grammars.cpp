#include "engine/grammars.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "sampling/grammar/read_grammar.h"

namespace skald {

static constexpr size_t kMostKept = 16;
static constexpr double kMostSeconds = 2;  // of compiling one

// Others, and the engine, need the rest.
static std::ptrdiff_t half_of_cpus() { return std::max(1u, std::thread::hardware_concurrency() / 2); }

Grammars::Grammars(const Tokenizer* tokenizer) : tokenizer_(tokenizer), compiling_(half_of_cpus()) {}

// The beginning of a text is no part of its grammar.
static GrammarParams without_beginning(GrammarParams params) {
  params.reply.begun.clear();
  return params;
}

void Grammars::forget(const GrammarParams& of) {
  const GrammarParams params = without_beginning(of);
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const Known& known) { return known.params == params; });
}

std::shared_ptr<CompiledGrammar> Grammars::find(const GrammarParams& params) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(known_, params, &Known::params);
  if (found == known_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found);
  return known_.front().grammar;
}

void Grammars::keep(const GrammarParams& params, std::shared_ptr<CompiledGrammar> grammar) {
  const std::lock_guard lock(mutex_);
  known_.push_front({params, std::move(grammar)});
  if (known_.size() > kMostKept) known_.pop_back();
}

std::shared_ptr<const GrammarVocabulary> Grammars::vocabulary() {
  std::call_once(has_vocabulary_, [this] { vocabulary_ = GrammarVocabulary::of(*tokenizer_); });
  return vocabulary_;
}

std::shared_ptr<CompiledGrammar> Grammars::compile(const GrammarParams& params) {
  const auto warn = [](const std::string& text) { log(LogLevel::kWarn, "{}", text); };
  Grammar grammar = read_grammar(params, warn, vocabulary()->markers(), TimeLimit(kMostSeconds));
  return std::make_shared<CompiledGrammar>(std::move(grammar), vocabulary());
}

std::shared_ptr<CompiledGrammar> Grammars::compiled(const GrammarParams& of) {
  if (of.empty()) return nullptr;
  const GrammarParams params = without_beginning(of);
  if (!tokenizer_) fail(Errc::kUnsupported, "grammar: this model has no tokenizer");
  if (auto known = find(params)) return known;
  compiling_.acquire();
  const std::unique_ptr<Semaphore, void (*)(Semaphore*)> done(&compiling_, [](Semaphore* s) { s->release(); });
  if (auto known = find(params)) return known;  // by whom this one waited for
  auto grammar = compile(params);
  keep(params, grammar);
  return grammar;
}

}  // namespace skald
