#include "engine/grammars.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/document_error.h"
#include "base/interruption.h"
#include "base/log.h"
#include "base/uninterrupted.h"
#include "sampling/grammar/read_grammar.h"

namespace skald {
namespace {

constexpr std::ptrdiff_t kMostKept = 16, kMostRefused = 64;
constexpr double kMostSeconds = 2;  // of compiling one
constexpr double kMoment = 0.05;    // seconds; most take less
// Those that take longer go on one at a time: of equal ones the others then find the result of the first.
constexpr int64_t kMostMemory = int64_t{600} << 20;

// The beginning of a text is no part of its grammar.
GrammarParams without_beginning(GrammarParams params) {
  params.reply.begun.clear();
  return params;
}

// Of all but the beginning.
Sha256Sum sum_of(const GrammarParams& params) {
  const ReplyParams& reply = params.reply;
  Digest digest(Digest::Kind::kSha256);
  const std::array<unsigned char, 5> words = {
      static_cast<unsigned char>(params.kind), static_cast<unsigned char>(params.whitespace),
      static_cast<unsigned char>(reply.reasoning), static_cast<unsigned char>(reply.choice),
      static_cast<unsigned char>(reply.parallel)};
  digest.add(std::as_bytes(std::span(words)));
  for (const std::string* text : {&params.text, &reply.format, &reply.prompt_end, &reply.tools, &reply.tool}) {
    const size_t size = text->size();  // so that texts do not run into each other
    digest.add(std::as_bytes(std::span(&size, 1)));
    digest.add(*text);
  }
  return sha256_of(std::move(digest));
}

// While one thread waited, another one compiled the same.
struct KnownMeanwhile {};

}  // namespace

Grammars::Grammars(const Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

// Throws the error of its rejection.
std::shared_ptr<CompiledGrammar> Grammars::find(const Sha256Sum& key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(known_, key, &Known::key);
  if (found == known_.end()) return nullptr;
  known_.splice(known_.begin(), known_, found);
  if (found->refuse) found->refuse();
  return found->grammar;
}

// Refusals take little, and have places of their own.
void Grammars::keep(Known known) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const Known& other) { return other.key == known.key; });
  known_.push_front(std::move(known));
  const bool refused = static_cast<bool>(known_.front().refuse);
  const auto same = [&](const Known& other) { return static_cast<bool>(other.refuse) == refused; };
  if (std::ranges::count_if(known_, same) > (refused ? kMostRefused : kMostKept))
    known_.erase(std::prev(std::find_if(known_.rbegin(), known_.rend(), same).base()));
}

void Grammars::refuse(const GrammarParams& params, const Error& why) {
  keep({sum_of(params), nullptr, [why] { throw Error(why); }});
}

std::shared_ptr<const GrammarVocabulary> Grammars::vocabulary() {
  const Uninterrupted others_wait_for_it;
  std::call_once(has_vocabulary_, [this] { vocabulary_ = GrammarVocabulary::of(*tokenizer_); });
  return vocabulary_;
}

std::shared_ptr<CompiledGrammar> Grammars::compile(const GrammarParams& params, const Sha256Sum& key) {
  const auto warn = [](const std::string& text) { log(LogLevel::kWarn, "{}", text); };
  const TimeLimit limit(kMostSeconds, kMoment, [&] {
    Interruption::memory(kMostMemory);
    if (find(key)) throw KnownMeanwhile();
  });
  Grammar grammar = read_grammar(params, warn, vocabulary()->markers(), limit);
  return std::make_shared<CompiledGrammar>(std::move(grammar), vocabulary());
}

std::shared_ptr<CompiledGrammar> Grammars::compiled(const GrammarParams& of) {
  if (of.empty()) return nullptr;
  const GrammarParams params = without_beginning(of);
  if (!tokenizer_) fail(Errc::kUnsupported, "grammar: this model has no tokenizer");
  const Sha256Sum key = sum_of(params);
  if (auto known = find(key)) return known;
  try {
    auto grammar = compile(params, key);
    keep({key, grammar, {}});
    return grammar;
  } catch (const KnownMeanwhile&) {
    return find(key);
  } catch (const DocumentError& e) {
    keep({key, nullptr, [e] { throw DocumentError(e); }});
    throw;
  } catch (const Error& e) {
    refuse(params, e);
    throw;
  }
}

}  // namespace skald
