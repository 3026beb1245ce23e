#include "serve/run/answer.h"

#include <algorithm>
#include <random>
#include <utility>

#include "text/tokenizer.h"
#include "tools/report/finish_word.h"
#include "tools/report/timings.h"

namespace skald::serve {

std::string_view Answer::echo(int choice) const {
  return echoed.empty() ? std::string_view{} : echoed[choices[static_cast<size_t>(choice)].prompt];
}

std::string_view finish_word(const AnswerChoice& choice) {
  const std::string_view word = skald::finish_word(choice.finish);
  return word == "stop" && !choice.reply.calls.empty() ? "tool_calls" : word;
}

Json usage_json(const Answer& a) {
  Json details = {{"reasoning_tokens", a.reasoning_tokens}};
  if (!a.request->prediction.empty()) {
    details["accepted_prediction_tokens"] = a.drafts.right;
    details["rejected_prediction_tokens"] = a.drafts.guessed - a.drafts.right;
  }
  return {{"prompt_tokens", a.prompt_tokens},
          {"completion_tokens", a.completion_tokens},
          {"total_tokens", a.prompt_tokens + a.completion_tokens},
          {"prompt_tokens_details", {{"cached_tokens", a.cached_tokens}}},
          {"completion_tokens_details", std::move(details)}};
}

Json timings_json(const Answer& a) {
  return timings_json(Timing{.n_prompt = a.prompt_tokens,
                             .n_generated = a.completion_tokens,
                             .n_cached = a.cached_tokens,
                             .drafts = a.drafts,
                             .prompt_seconds = a.prompt_seconds,
                             .generate_seconds = a.generate_seconds});
}

Json progress_json(const PromptProgress& p) {
  Json out = {
      {"total", p.total}, {"cache", p.cached}, {"processed", p.done}, {"time_ms", static_cast<int64_t>(p.seconds * 1000)}};
  if (p.before) out["queued_before"] = *p.before;
  return out;
}

std::string token_text(const Answer& answer, TokenId token) {
  if (!answer.tokenizer || token >= answer.tokenizer->vocab().size()) return {};
  return answer.tokenizer->piece_bytes(token);
}

Json call_json(const ReplyCall& call, int index, bool with_index) {
  Json out = Json::object();
  if (with_index) out["index"] = index;
  out["id"] = call.id;
  out["type"] = "function";
  out["function"] = {{"name", call.name}, {"arguments", call.arguments}};
  return out;
}

std::string random_id(size_t length) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  thread_local std::mt19937_64 random{std::random_device{}()};
  std::string out(length, ' ');
  for (char& c : out) c = kLetters[random() % kLetters.size()];
  return out;
}

}  // namespace skald::serve
