#include "engine/request_check.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/want.h"
#include "text/stop_texts.h"

namespace skald {
namespace {

void check_stop_texts(const std::vector<std::string>& texts) {
  want(texts.size() <= StopTexts::kMostTexts, "stop", "at most 256 texts");
  for (const std::string& text : texts)
    want(!text.empty() && text.size() <= StopTexts::kMostBytes, "stop", "texts of 1 to 4096 bytes");
}

void check_texts(const Request& request, const RequestLimits& limits) {
  want(request.n >= 1 && request.n <= Request::kMostTexts, "n", "1 to 1024");
  want(request.best_of == 0 || (request.best_of >= request.n && request.best_of <= Request::kMostTexts), "best_of",
       "0, or n to 1024");
  if (request.best_of > request.n && request.conversation)
    fail(Errc::kBadInput, "best_of does not go with conversation: which text goes on is not known before the end");
  if (request.beams == 0) return;
  want(request.beams >= 1 && request.beams <= Request::kMostBeams, "beams", "0 to 128");
  want(std::abs(request.length_penalty) <= Request::kMostLengthPenalty, "length_penalty", "-10 to 10");
  if (limits.static_shapes) fail(Errc::kUnsupported, "beams: caches of fixed shapes hold one text");
  if (request.n > request.beams)
    fail(Errc::kBadInput, "n: want at most the number of beams, {}: a search has no more texts", request.beams);
  for (const auto& [given, field] :
       {std::pair(request.best_of != 0, "best_of"), {request.conversation != 0, "conversation"}})
    if (given) fail(Errc::kBadInput, "beams does not go with {}", field);
  if (limits.shift && request.max_tokens < 0)
    fail(Errc::kBadInput, "beams needs max_tokens where the context is shifted: nothing else ends the search");
}

// Only what is shared is stored.
void check_prefill(const Request& request, const RequestLimits& limits) {
  const bool named = !request.prefilled.name.empty();
  if ((request.prefill || named) && !limits.stores)
    fail(Errc::kBadInput, "{}: the engine has no prefix_store, or shares no prefixes",
         request.prefill ? "prefill" : "prefilled");
  if (!request.prefill) return;
  for (const auto& [given, field] : {std::pair(!request.cache_prompt, "cache_prompt = false"),
                                     {request.prompt_log_probs, "prompt_log_probs"},
                                     {request.conversation != 0, "conversation"},
                                     {request.read_ahead, "read_ahead"}})
    if (given) fail(Errc::kBadInput, "prefill does not go with {}", field);
}

}  // namespace

void check_request(const Request& request, const LoadedModel& model, const RequestLimits& limits) {
  request.sampling.check(model.n_vocab());
  want(request.top_log_probs >= 0 && request.top_log_probs <= Request::kMostTopLogProbs, "top_log_probs", "0 to 1000");
  want(!request.prompt.empty(), "prompt", "at least one token");
  want(request.max_tokens >= -1, "max_tokens", "-1 (no limit) or more");
  want(request.keep >= -1, "keep", "-1 (the whole prompt) or more");
  want(request.min_indent >= 0, "min_indent", "0 or more");
  want(request.max_seconds >= 0 && std::isfinite(request.max_seconds), "max_seconds", "a number of at least 0");
  check_texts(request, limits);
  check_stop_texts(request.stop);
  if (request.prompt_log_probs && request.conversation)
    fail(Errc::kBadInput, "prompt_log_probs does not go with conversation: the whole prompt is computed");
  if (request.read_ahead && !limits.share_prefixes) fail(Errc::kBadInput, "read_ahead needs cache.share_prefixes");
  check_prefill(request, limits);
  if (request.conversation && limits.static_shapes)
    fail(Errc::kUnsupported, "conversation: caches of fixed shapes keep nothing from one request to the next");
  if (static_cast<int64_t>(request.prompt.size()) > limits.n_ctx)
    fail(Errc::kBadInput, "the prompt has {} tokens, the context {}", request.prompt.size(), limits.n_ctx);
  if (limits.shift && request.n_kept() > limits.n_ctx - 2)
    fail(Errc::kBadInput, "keep: {} tokens of the prompt leave nothing to shift in a context of {}", request.n_kept(),
         limits.n_ctx);
  for (TokenId id : request.prompt)
    if (id < 0 || id >= model.n_vocab())
      fail(Errc::kBadInput, "token id {} is outside the vocabulary of {}", id, model.n_vocab());
  if (const int64_t prefix = model.prefix_length(request.prompt); prefix > limits.rows)
    fail(Errc::kBadInput,
         "the prompt's first {} tokens must be computed at once, but steps have {}: raise schedule.n_ubatch and "
         "schedule.n_batch",
         prefix, limits.rows);
}

}  // namespace skald
