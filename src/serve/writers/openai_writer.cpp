#include "serve/writers/openai_writer.h"

#include <utility>

namespace skald::serve {
namespace {

Json token_json(const Answer& answer, TokenId token, double log_prob) {
  const std::string text = token_text(answer, token);
  return {{"token", text}, {"logprob", log_prob}, {"bytes", bytes_json(text)}};
}

Json place_json(const Answer& answer, TokenId token, double log_prob, std::span<const TokenLogProb> top) {
  Json out = token_json(answer, token, log_prob);
  out["top_logprobs"] = Json::array();
  for (const TokenLogProb& t : top) out["top_logprobs"].push_back(token_json(answer, t.token, t.log_prob));
  return out;
}

}  // namespace

Json OpenAiWriter::head(const Answer& answer, std::string_view object, Json choices) const {
  return {{"id", std::string(id_) + answer.id},
          {"object", object},
          {"created", answer.created},
          {"model", answer.model},
          {"choices", std::move(choices)}};
}

Json OpenAiWriter::chunk(const Answer& answer, Json choices) const {
  Json out = head(answer, piece_, std::move(choices));
  if (answer.include_usage) out["usage"] = nullptr;
  return out;
}

std::string OpenAiWriter::progress_chunk(const Answer& answer, Json choice, const PromptProgress& progress) const {
  Json out = chunk(answer, Json::array({std::move(choice)}));
  out["prompt_progress"] = progress_json(progress);
  return sse(out);
}

std::string OpenAiWriter::last_chunk(const Answer& answer, Json choice) const {
  Json out = chunk(answer, Json::array({std::move(choice)}));
  out["timings"] = timings_json(answer);
  return sse(out);
}

Json OpenAiWriter::all(const Answer& answer, Json choices) const {
  Json out = head(answer, object_, std::move(choices));
  out["usage"] = usage_json(answer);
  out["timings"] = timings_json(answer);
  return out;
}

std::string OpenAiWriter::end(const Answer& answer) {
  std::string out;
  if (answer.include_usage) {
    Json last = chunk(answer, Json::array());
    last["usage"] = usage_json(answer);
    out = sse(last);
  }
  return out + "data: [DONE]\n\n";
}

std::span<const TokenLogProb> top_log_probs(const Answer& answer, const Choice& said, size_t place) {
  return answer.top_log_probs > 0 ? std::span<const TokenLogProb>(said.top_log_probs[place])
                                  : std::span<const TokenLogProb>();
}

Json log_prob_json(const Answer& answer, const AnswerDelta& spoken) {
  return place_json(answer, spoken.token, spoken.log_prob, spoken.top_log_probs);
}

Json log_probs_json(const Answer& answer, const Choice& said, size_t from) {
  Json all = Json::array();
  for (size_t i = from; i < said.tokens.size(); ++i)
    all.push_back(place_json(answer, said.tokens[i], said.log_probs[i], top_log_probs(answer, said, i)));
  return all;
}

}  // namespace skald::serve
