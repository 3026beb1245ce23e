#include "serve/answers/completion_form.h"

#include <algorithm>
#include <utility>

#include "text/utf8.h"

namespace skald::serve {
namespace {

/// Lists as the API has them, of tokens one after the other.
class LogProbs {
 public:
  LogProbs(const Answer& answer, int64_t first) : answer_(answer), at_(first) {}

  void add(TokenId token, double log_prob, std::span<const TokenLogProb> top) {
    const std::string text = token_text(answer_, token);
    tokens_.push_back(text);
    log_probs_.push_back(log_prob);
    offsets_.push_back(at_);
    Json all = Json::object();
    for (const TokenLogProb& t : top) all[token_text(answer_, t.token)] = t.log_prob;
    if (!all.contains(text)) all[text] = log_prob;
    top_.push_back(std::move(all));
    at_ += code_points(text);
  }
  int64_t end() const { return at_; }
  Json json() const {
    return {{"tokens", tokens_}, {"token_logprobs", log_probs_}, {"top_logprobs", top_}, {"text_offset", offsets_}};
  }

 private:
  // Bytes of a character that is cut count with its first one.
  static int64_t code_points(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  }

  const Answer& answer_;
  int64_t at_;
  Json tokens_ = Json::array(), log_probs_ = Json::array(), top_ = Json::array(), offsets_ = Json::array();
};

std::string id_of(const Answer& answer) { return "cmpl-" + answer.id; }

}  // namespace

Json CompletionForm::chunk(const Answer& answer, Json choices) const {
  Json out = {{"id", id_of(answer)},
              {"object", "text_completion"},
              {"created", answer.created},
              {"model", answer.model},
              {"choices", std::move(choices)}};
  if (answer.include_usage) out["usage"] = nullptr;
  return out;
}

std::string CompletionForm::begin(const Answer& answer) {
  characters_.resize(answer.choices.size());
  std::string out;
  if (answer.echoed.empty()) return out;
  for (int i = 0; i < static_cast<int>(answer.choices.size()); ++i)
    out += sse(chunk(
        answer, Json::array({{{"text", answer.echo(i)}, {"index", i}, {"logprobs", nullptr}, {"finish_reason", nullptr}}})));
  return out;
}

Json CompletionForm::log_probs(const Answer& answer, int choice, const Spoken& spoken) {
  if (answer.top_log_probs < 0 || spoken.token < 0) return nullptr;
  int64_t& at = characters_[static_cast<size_t>(choice)];
  LogProbs out(answer, at);
  out.add(spoken.token, spoken.log_prob, spoken.top_log_probs);
  at = out.end();
  return out.json();
}

std::string CompletionForm::said(const Answer& answer, const Spoken& spoken) {
  Json probs = log_probs(answer, spoken.choice, spoken);
  if (spoken.text.empty() && probs.is_null()) return {};
  return sse(chunk(
      answer,
      Json::array(
          {{{"text", spoken.text}, {"index", spoken.choice}, {"logprobs", std::move(probs)}, {"finish_reason", nullptr}}})));
}

std::string CompletionForm::finish(const Answer& answer, int choice) {
  const AnswerChoice& c = answer.choices[static_cast<size_t>(choice)];
  Json out = chunk(
      answer, Json::array({{{"text", ""}, {"index", choice}, {"logprobs", nullptr}, {"finish_reason", finish_word(c)}}}));
  out["timings"] = timings_json(answer);
  return sse(out);
}

std::string CompletionForm::end(const Answer& answer) {
  std::string out;
  if (answer.include_usage) {
    Json last = chunk(answer, Json::array());
    last["usage"] = usage_json(answer);
    out = sse(last);
  }
  return out + "data: [DONE]\n\n";
}

Json CompletionForm::whole(const Answer& answer) {
  Json choices = Json::array();
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    const AnswerChoice& c = answer.choices[i];
    Json probs = nullptr;
    if (answer.top_log_probs >= 0) {
      LogProbs all(answer, 0);
      for (size_t t = 0; t < c.said.tokens.size(); ++t)
        all.add(c.said.tokens[t], c.said.log_probs[t],
                answer.top_log_probs > 0 ? std::span<const TokenLogProb>(c.said.top_log_probs[t])
                                         : std::span<const TokenLogProb>());
      probs = all.json();
    }
    choices.push_back({{"text", std::string(answer.echo(static_cast<int>(i))) + c.said.text},
                       {"index", i},
                       {"logprobs", std::move(probs)},
                       {"finish_reason", finish_word(c)}});
  }
  Json out = chunk(answer, std::move(choices));
  out["usage"] = usage_json(answer);
  out["timings"] = timings_json(answer);
  return out;
}

}  // namespace skald::serve
