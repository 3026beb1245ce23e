#include "serve/run/prefill.h"

#include <fmt/format.h>

#include <utility>

#include "serve/api_error.h"

namespace skald::serve {
namespace {

/// Tells which pages of the prompt the store has.
class PrefillWriter : public ResponseWriter {
 public:
  std::string said(const Answer&, const AnswerDelta&) override { return {}; }
  std::string finish(const Answer&, int) override { return {}; }
  Json whole(const Answer& answer) override {
    const StoredPrefix& stored = answer.stored;
    return {{"id", "prefill-" + answer.id},
            {"object", "prefill"},
            {"created", answer.created},
            {"model", answer.model},
            {"prefill", stored.name.empty() ? Json(nullptr) : Json(stored.name)},
            {"stored_tokens", stored.tokens},
            {"usage",
             {{"prompt_tokens", answer.prompt_tokens},
              {"completion_tokens", 0},
              {"total_tokens", answer.prompt_tokens},
              {"prompt_tokens_details", {{"cached_tokens", answer.cached_tokens}}}}}};
  }
  HttpFields headers(const Answer& answer) override {
    if (answer.stored.name.empty()) return {};
    return {{std::string(kPrefillField), answer.stored.name}};
  }
};

void want_one_prompt(const GenerationRequest& what, std::string_view why) {
  if (what.prompts.size() != 1) throw ApiError(400, fmt::format("want one prompt: {}", why), "prompt");
}

}  // namespace

std::unique_ptr<ResponseWriter> make_prefill(GenerationRequest& what) {
  want_one_prompt(what, "this server's role is prefill");
  if (!what.request.cache_prompt) refuse_field("cache_prompt", "true on a server whose role is prefill");
  Request request = {.prompt = {}, .prefill = true};
  request.owner = what.request.owner;
  request.priority = what.request.priority;
  request.scope = what.request.scope;
  request.loras = what.request.loras;
  GenerationRequest only = {.prompts = std::move(what.prompts), .request = std::move(request)};
  what = std::move(only);
  return std::make_unique<PrefillWriter>();
}

void read_prefilled(const RequestContext& context, GenerationRequest& what) {
  const std::string_view name = context.request().header(kPrefillField);
  if (name.empty()) return;
  want_one_prompt(what, fmt::format("{} names the pages of one", kPrefillHeader));
  what.request.prefilled.name = name;
}

}  // namespace skald::serve
