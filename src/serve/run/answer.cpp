#include "serve/run/answer.h"

#include <algorithm>
#include <random>

#include "text/tokenizer.h"

namespace skald::serve {
namespace {

double rate(int64_t n, double seconds) { return seconds > 0 ? static_cast<double>(n) / seconds : 0; }

}  // namespace

std::string_view Answer::echo(int choice) const {
  return echoed.empty() ? std::string_view{} : echoed[static_cast<size_t>(choice / n)];
}

std::string_view finish_word(const AnswerChoice& choice) {
  switch (choice.finish) {
    case FinishReason::kLength:
    case FinishReason::kContext:
      return "length";
    default:
      return choice.reply.calls.empty() ? "stop" : "tool_calls";
  }
}

Json usage_json(const Answer& a) {
  return {{"prompt_tokens", a.prompt_tokens},
          {"completion_tokens", a.completion_tokens},
          {"total_tokens", a.prompt_tokens + a.completion_tokens},
          {"prompt_tokens_details", {{"cached_tokens", a.cached_tokens}}},
          {"completion_tokens_details", {{"reasoning_tokens", a.reasoning_tokens}}}};
}

Json timings_json(const Answer& a) {
  const int64_t computed = a.prompt_tokens - a.cached_tokens;
  return {{"cache_n", a.cached_tokens},
          {"prompt_n", computed},
          {"prompt_ms", a.prompt_seconds * 1000},
          {"prompt_per_second", rate(computed, a.prompt_seconds)},
          {"predicted_n", a.completion_tokens},
          {"predicted_ms", (a.prompt_seconds > 0 && a.generate_seconds == 0 ? a.prompt_seconds : a.generate_seconds) * 1000},
          {"predicted_per_second", rate(a.completion_tokens, a.generate_seconds)}};
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
