#include "api/c_request.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "api/c_objects.h"
#include "api/c_support.h"
#include "sampling/number_table.h"

namespace skald::c_api {
namespace {

GrammarParams content_grammar(const skald_request& request) {
  if (request.grammar == SKALD_NO_GRAMMAR) return {};
  const auto kind = [&] {
    switch (request.grammar) {
      case SKALD_GBNF:
        return GrammarParams::Kind::kGbnf;
      case SKALD_REGEX:
        return GrammarParams::Kind::kRegex;
      case SKALD_JSON_SCHEMA:
        return GrammarParams::Kind::kJsonSchema;
      default:
        fail(Errc::kBadInput, "grammar: no kind has the number {}", int{request.grammar});
    }
  }();
  return {.kind = kind, .text = &wanted(request.grammar_text, "grammar_text")};
}

GrammarParams grammar_of(const skald_request& request) {
  GrammarParams out = content_grammar(request);
  if (request.chat) out.reply = request.chat->format.reply_params(wanted(request.reply_to, "reply_to").prompt);
  return out;
}

std::vector<LoraUse> loras_of(const skald_request& request) {
  std::vector<LoraUse> out;
  for (const skald_lora_use& use : wanted(request.loras, request.n_loras, "loras"))
    out.push_back({wanted(use.lora, "loras: lora").lora, use.scale});
  return out;
}

// Gives `to` the number of `from`, each by its member.
template <class To, class ToMember, class From, class FromMember>
void copy_number(To& to, const ToMember& to_member, const From& from, const FromMember& from_member) {
  std::visit([&](auto t, auto f) { to.*t = static_cast<std::remove_reference_t<decltype(to.*t)>>(from.*f); }, to_member,
             from_member);
}

SamplingParams sampling_of(const skald_sampling& s, const Model& model) {
  SamplingParams out;
  for (const SamplingNumber& number : sampling_numbers()) copy_number(out, number.field, s, number.member);
  for (const skald_logit_bias& bias : wanted(s.logit_bias, s.n_logit_bias, "sampling.logit_bias"))
    out.logit_bias.push_back({.id = bias.token, .bias = bias.bias});
  const std::vector<std::string> breakers = texts(s.dry_breakers, s.n_dry_breakers, "sampling.dry_breakers");
  if (!breakers.empty()) out.dry_breakers = model.dry_breakers(breakers);
  if (s.samplers) out.samplers = SamplingParams::parse_samplers(s.samplers);
  out.seed = s.seed;
  return out;
}

// The callback's event, as C has it.
bool tell(const skald_request& request, const Event& event) {
  const std::vector<skald_token_log_prob> top = log_probs_of(event.top_log_probs);
  const skald_event out{.token = event.token,
                        .text = event.text.data(),
                        .text_size = event.text.size(),
                        .finish = finish_of(event.finish),
                        .branch = event.branch,
                        .log_prob = event.log_prob,
                        .top_log_probs = top.data(),
                        .n_top_log_probs = top.size()};
  return request.on_event(&out, request.user);
}

}  // namespace

Request engine_request(const skald_request& r, const Model& model) {
  const std::span prompt = wanted(r.prompt, r.n_prompt, "prompt");
  Request out{.prompt = {prompt.begin(), prompt.end()},
              .max_tokens = r.max_tokens,
              .keep = r.keep,
              .ignore_eos = r.ignore_eos,
              .n = r.n,
              .best_of = r.best_of,
              .beams = r.beams,
              .length_penalty = r.length_penalty,
              .log_prob = r.log_prob,
              .top_log_probs = r.top_log_probs,
              .show_special = r.show_special,
              .stop = texts(r.stop, r.n_stop, "stop"),
              .conversation = r.conversation,
              .reuse_generated = r.reuse_generated,
              .sampling = sampling_of(r.sampling, model),
              .grammar = grammar_of(r),
              .on_event = {}};
  out.loras = loras_of(r);
  if (r.on_event) out.on_event = [r](const Event& event) { event.stop = tell(r, event); };
  if (r.on_prompt) out.on_prompt = [r](int64_t done) { r.on_prompt(done, r.user); };
  return out;
}

std::vector<skald_token_log_prob> log_probs_of(std::span<const TokenLogProb> all) {
  std::vector<skald_token_log_prob> out;
  out.reserve(all.size());
  for (const TokenLogProb& one : all) out.push_back({.token = one.token, .log_prob = one.log_prob});
  return out;
}

skald_finish finish_of(FinishReason why) { return static_cast<skald_finish>(why); }

static_assert(static_cast<int>(FinishReason::kNone) == SKALD_RUNNING &&
              static_cast<int>(FinishReason::kEnd) == SKALD_FINISH_END);
static_assert(static_cast<int>(FinishReason::kStop) == SKALD_FINISH_STOP &&
              static_cast<int>(FinishReason::kLength) == SKALD_FINISH_LENGTH);
static_assert(static_cast<int>(FinishReason::kContext) == SKALD_FINISH_CONTEXT &&
              static_cast<int>(FinishReason::kCancelled) == SKALD_FINISH_CANCELLED);
static_assert(static_cast<int>(FinishReason::kError) == SKALD_FINISH_ERROR);

}  // namespace skald::c_api

skald_sampling skald_sampling_defaults(const skald_model* model) {
  const skald::SamplingParams s = model ? model->model.sampling_defaults() : skald::SamplingParams();
  skald_sampling out{};
  for (const skald::SamplingNumber& number : skald::sampling_numbers())
    skald::c_api::copy_number(out, number.member, s, number.field);
  out.seed = s.seed;
  return out;
}

skald_request skald_request_defaults(const skald_model* model) {
  const skald::Request usual{.prompt = {}, .sampling = {}, .on_event = {}};
  return {.prompt = nullptr,
          .n_prompt = 0,
          .max_tokens = usual.max_tokens,
          .keep = usual.keep,
          .ignore_eos = usual.ignore_eos,
          .n = usual.n,
          .best_of = usual.best_of,
          .beams = usual.beams,
          .length_penalty = usual.length_penalty,
          .log_prob = usual.log_prob,
          .top_log_probs = usual.top_log_probs,
          .show_special = usual.show_special,
          .stop = nullptr,
          .n_stop = 0,
          .conversation = usual.conversation,
          .reuse_generated = usual.reuse_generated,
          .loras = nullptr,
          .n_loras = 0,
          .sampling = skald_sampling_defaults(model),
          .grammar = SKALD_NO_GRAMMAR,
          .grammar_text = nullptr,
          .chat = nullptr,
          .reply_to = nullptr,
          .on_event = nullptr,
          .on_prompt = nullptr,
          .user = nullptr};
}
