// Prompts that are read ahead: a page in each step that no request has rows for.
#include <algorithm>
#include <exception>
#include <utility>

#include "engine/adapter_mixes.h"
#include "engine/error_code.h"
#include "engine/loop.h"
#include "engine/mark_points.h"

namespace skald {
namespace {

// Full pages of it are kept.
int64_t readable(std::span<const TokenId> prompt) {
  const int64_t n = std::ssize(prompt);
  return n - n % kPageKeys;
}

}  // namespace

void EngineLoop::read_ahead() {
  if (prefills_.empty()) return;
  try {
    read_page_ahead();
  } catch (const std::exception& e) {
    prefills_.front().finish(FinishReason::kError, e.what(), code_of(e));
    prefills_.pop();
  }
}

// Between two steps nothing is held: computed pages are kept like any others, and taken again.
void EngineLoop::read_page_ahead() {
  SpeculativePrefill& one = prefills_.front();
  const std::span<const TokenId> prompt = std::span(one.request.prompt).first(static_cast<size_t>(shareable(one.request)));
  const KvSequence fresh = stepper_.new_sequence();
  const auto end = [&](FinishReason reason) {
    one.finish(reason);
    prefills_.pop();
  };
  if (!shares(one.request, fresh) || prefix_of(prompt) > 0) return end(FinishReason::kCancelled);
  if (one.points.empty() && fresh.forgets()) one.points = state_points(prompt, 0, o_.ends_message);
  Past past = prefixes_->match(namespace_of(one.request), prompt);
  const int64_t from = past.kv.length(), to = std::min(from + kPageKeys, readable(prompt));
  if (from >= to) return end(FinishReason::kLength);
  // The computed pages are gone again, or there is no room.
  if (from < one.last.at || !room().covers(past.kv.need(to))) return prefills_.cancel_all();
  compute_ahead(one, to, std::move(past));
  if (to == readable(prompt)) end(FinishReason::kLength);
}

void EngineLoop::compute_ahead(SpeculativePrefill& one, int64_t to, Past past) {
  const int64_t from = past.kv.length();
  const std::span<const TokenId> prompt = one.request.prompt;
  const PrefixIndex::Namespace ns = namespace_of(one.request);
  const StepItem item{.kv = &past.kv,
                      .tokens = prompt.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from)),
                      .n_outputs = 0,
                      .adapters = one.request.adapters.get()};
  make_room(past.kv.need(to));
  const Clock::time_point begin = o_.now();
  stepper_.run({&item, 1});
  const double seconds = seconds_between(begin, o_.now());
  cost_.note(PromptWork::of(from, to - from), false, seconds);
  counts_.prompt_tokens_ahead += to - from;
  if (o_.computed) o_.computed({.seconds = seconds, .prompt_rows = to - from});
  const bool made = prefixes_->keep(ns, prompt.first(static_cast<size_t>(to)), past.kv);
  // A checkpoint between two pages is only for the next one.
  one.last.move_on(*prefixes_, ns, prompt, to, made && !std::ranges::binary_search(one.points, to));
  prefixes_->write_back(ns, prompt.first(static_cast<size_t>(to)));
}

}  // namespace skald
