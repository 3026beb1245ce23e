#include "serve/writers/completion_writer.h"

#include <algorithm>
#include <utility>

namespace skald::serve {
namespace {

/// Lists as the API has them, of tokens one after the other.
class LogProbs {
 public:
  LogProbs(const Answer& answer, int64_t first) : answer_(answer), at_(first) {}

  void add(TokenId token, double log_prob, std::span<const TokenLogProb> top) {
    const std::string text = token_text(answer_, token);
    Json all = Json::object();
    for (const TokenLogProb& t : top) all[token_text(answer_, t.token)] = t.log_prob;
    if (!all.contains(text)) all[text] = log_prob;
    put(text, log_prob, std::move(all));
  }
  /// A prompt's tokens, of which the first follows nothing.
  void add(const PromptSaid& prompt) {
    put(token_text(answer_, prompt.tokens.front()), nullptr, nullptr);
    for (size_t i = 0; i < prompt.log_probs.size(); ++i)
      add(prompt.tokens[i + 1], prompt.log_probs[i], prompt.top_log_probs[i]);
  }
  int64_t end() const { return at_; }
  Json json() const {
    return {{"tokens", tokens_}, {"token_logprobs", log_probs_}, {"top_logprobs", top_}, {"text_offset", offsets_}};
  }

 private:
  void put(const std::string& text, Json log_prob, Json top) {
    tokens_.push_back(text);
    log_probs_.push_back(std::move(log_prob));
    offsets_.push_back(at_);
    top_.push_back(std::move(top));
    at_ += code_points(text);
  }
  // Bytes of a character that is cut count with its first one.
  static int64_t code_points(std::string_view text) {
    return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  }

  const Answer& answer_;
  int64_t at_;
  Json tokens_ = Json::array(), log_probs_ = Json::array(), top_ = Json::array(), offsets_ = Json::array();
};

}  // namespace

std::string CompletionWriter::begin(const Answer& answer) {
  characters_.resize(answer.choices.size());
  echoed_.resize(answer.choices.size());
  std::string out;
  // Which texts a search finds is known at its end.
  if (!answer.ranked)
    for (int i = 0; i < static_cast<int>(answer.choices.size()); ++i) out += echo(answer, i);
  return out;
}

std::string CompletionWriter::echo(const Answer& answer, int choice) {
  auto told = echoed_[static_cast<size_t>(choice)];
  if (answer.echoed.empty() || told) return {};
  told = true;
  return sse(chunk(
      answer,
      Json::array({{{"text", answer.echo(choice)}, {"index", choice}, {"logprobs", nullptr}, {"finish_reason", nullptr}}})));
}

std::string CompletionWriter::reading(const Answer& answer, const PromptProgress& progress) {
  return progress_chunk(
      answer, {{"text", ""}, {"index", progress.prompt * answer.n}, {"logprobs", nullptr}, {"finish_reason", nullptr}},
      progress);
}

Json CompletionWriter::log_probs(const Answer& answer, int choice, const AnswerDelta& spoken) {
  if (answer.top_log_probs < 0 || spoken.token < 0) return nullptr;
  int64_t& at = characters_[static_cast<size_t>(choice)];
  LogProbs out(answer, at);
  out.add(spoken.token, spoken.log_prob, spoken.top_log_probs);
  at = out.end();
  return out.json();
}

std::string CompletionWriter::said(const Answer& answer, const AnswerDelta& spoken) {
  std::string out = echo(answer, spoken.choice);
  Json probs = log_probs(answer, spoken.choice, spoken);
  if (spoken.text.empty() && probs.is_null()) return out;
  return out += sse(chunk(answer, Json::array({{{"text", spoken.text},
                                                {"index", spoken.choice},
                                                {"logprobs", std::move(probs)},
                                                {"finish_reason", nullptr}}})));
}

std::string CompletionWriter::finish(const Answer& answer, int choice) {
  const AnswerChoice& c = answer.choices[static_cast<size_t>(choice)];
  return last_chunk(answer, {{"text", ""}, {"index", choice}, {"logprobs", nullptr}, {"finish_reason", finish_word(c)}});
}

Json CompletionWriter::whole(const Answer& answer) {
  Json choices = Json::array();
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    const AnswerChoice& c = answer.choices[i];
    Json probs = nullptr;
    if (answer.top_log_probs >= 0) {
      LogProbs list(answer, 0);
      if (!answer.prompts_said.empty()) list.add(answer.prompts_said[c.prompt]);
      for (size_t t = 0; t < c.said.tokens.size(); ++t)
        list.add(c.said.tokens[t], c.said.log_probs[t], top_log_probs(answer, c.said, t));
      probs = list.json();
    }
    Json& out = choices.emplace_back(Json{{"text", std::string(answer.echo(static_cast<int>(i))) + c.said.text},
                                          {"index", i},
                                          {"logprobs", std::move(probs)},
                                          {"finish_reason", finish_word(c)}});
    if (answer.ranked) out.update({{"log_prob", c.said.log_prob}, {"score", c.said.score}});
  }
  return all(answer, std::move(choices));
}

}  // namespace skald::serve
