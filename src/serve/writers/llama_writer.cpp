#include "serve/writers/llama_writer.h"

#include <cmath>
#include <utility>

#include "sampling/number_table.h"

namespace skald::serve {
namespace {

std::string_view stop_type(const AnswerChoice& choice) {
  switch (choice.finish) {
    case FinishReason::kEnd:
      return "eos";
    case FinishReason::kStop:
      return "word";
    case FinishReason::kLength:
    case FinishReason::kContext:
      return "limit";
    default:
      return "none";
  }
}

Json probability_of(const Answer& answer, TokenId token, double log_prob) {
  const std::string text = token_text(answer, token);
  return {{"id", token}, {"token", text}, {"bytes", bytes_json(text)}, {"logprob", log_prob}};
}

Json probability(const Answer& answer, TokenId token, double log_prob, const std::vector<TokenLogProb>& top) {
  Json out = probability_of(answer, token, log_prob);
  out["top_logprobs"] = Json::array();
  for (const TokenLogProb& t : top) out["top_logprobs"].push_back(probability_of(answer, t.token, t.log_prob));
  return out;
}

}  // namespace

Json settings_json(const SamplingParams& s, const Request& request) {
  Json out = {{"n_predict", request.max_tokens}, {"seed", s.seed}};
  for (const SamplingNumber& number : sampling_numbers())
    std::visit([&](auto field) { out[std::string(number.key())] = s.*field; }, number.field);
  out.update({{"stop", request.stop},
              {"max_tokens", request.max_tokens},
              {"ignore_eos", request.ignore_eos},
              {"n_indent", request.min_indent},
              {"t_max_predict_ms", std::llround(request.max_seconds * 1e3)},
              {"samplers", s.samplers}});
  return out;
}

std::string LlamaWriter::reading(const Answer& answer, const PromptProgress& progress) {
  return sse({{"index", progress.prompt * answer.n},
              {"content", ""},
              {"tokens", Json::array()},
              {"stop", false},
              {"prompt_progress", progress_json(progress)}});
}

std::string LlamaWriter::said(const Answer& answer, const AnswerDelta& spoken) {
  if (spoken.token < 0 && spoken.text.empty()) return {};
  if (spoken.text.empty() && !answer.return_tokens && answer.top_log_probs < 0) return {};
  Json out = {{"index", spoken.choice}, {"content", spoken.text}, {"stop", false}};
  out["tokens"] = answer.return_tokens && spoken.token >= 0 ? Json::array({spoken.token}) : Json::array();
  if (answer.top_log_probs >= 0 && spoken.token >= 0)
    out["completion_probabilities"] =
        Json::array({probability(answer, spoken.token, spoken.log_prob, spoken.top_log_probs)});
  if (wants_.timings_per_token) out["timings"] = timings_json(answer);
  return sse(out);
}

Json LlamaWriter::last(const Answer& answer, int choice, bool with_text) const {
  const AnswerChoice& c = answer.choices[static_cast<size_t>(choice)];
  SamplingParams sampling = answer.request->sampling;
  sampling.seed = answer.seed;
  Json out = {{"index", choice},
              {"content", with_text ? c.said.text : ""},
              {"tokens", with_text && answer.return_tokens ? Json(c.said.tokens) : Json::array()},
              {"id_slot", -1},
              {"stop", true},
              {"model", answer.model},
              {"tokens_predicted", std::ssize(c.said.tokens)},
              {"tokens_evaluated", answer.prompt_lengths[c.prompt]},
              {"generation_settings", settings_json(sampling, *answer.request)},
              {"has_new_line", c.said.text.find('\n') != std::string::npos},
              {"truncated", wants_.truncated},
              {"stop_type", stop_type(c)},
              {"stopping_word", c.said.stop_text},
              {"tokens_cached", answer.cached_tokens},
              {"timings", timings_json(answer)}};
  if (with_text && answer.top_log_probs >= 0) {
    Json all = Json::array();
    for (size_t i = 0; i < c.said.tokens.size(); ++i)
      all.push_back(probability(answer, c.said.tokens[i], c.said.log_probs[i], c.said.top_log_probs[i]));
    out["completion_probabilities"] = std::move(all);
  }
  return out;
}

std::string LlamaWriter::finish(const Answer& answer, int choice) { return sse(last(answer, choice, /*with_text=*/false)); }

Json LlamaWriter::whole(const Answer& answer) {
  if (answer.choices.size() == 1) return last(answer, 0, /*with_text=*/true);
  Json out = Json::array();
  for (size_t i = 0; i < answer.choices.size(); ++i) out.push_back(last(answer, static_cast<int>(i), /*with_text=*/true));
  return out;
}

}  // namespace skald::serve
