#include "serve/answers/chat_form.h"

#include <span>
#include <utility>

namespace skald::serve {
namespace {

Json bytes_of(std::string_view text) {
  Json out = Json::array();
  for (const char c : text) out.push_back(static_cast<unsigned char>(c));
  return out;
}

Json token_json(const Answer& answer, TokenId token, double log_prob) {
  const std::string text = token_text(answer, token);
  return {{"token", text}, {"logprob", log_prob}, {"bytes", bytes_of(text)}};
}

Json log_prob_json(const Answer& answer, TokenId token, double log_prob, std::span<const TokenLogProb> top) {
  Json out = token_json(answer, token, log_prob);
  out["top_logprobs"] = Json::array();
  for (const TokenLogProb& t : top) out["top_logprobs"].push_back(token_json(answer, t.token, t.log_prob));
  return out;
}

Json log_probs_of(const Answer& answer, const Spoken& spoken) {
  if (answer.top_log_probs < 0 || spoken.token < 0) return nullptr;
  return {{"content", Json::array({log_prob_json(answer, spoken.token, spoken.log_prob, spoken.top_log_probs)})}};
}

Json log_probs_of(const Answer& answer, const Choice& said) {
  if (answer.top_log_probs < 0) return nullptr;
  Json all = Json::array();
  for (size_t i = 0; i < said.tokens.size(); ++i)
    all.push_back(log_prob_json(
        answer, said.tokens[i], said.log_probs[i],
        answer.top_log_probs > 0 ? std::span<const TokenLogProb>(said.top_log_probs[i]) : std::span<const TokenLogProb>()));
  return {{"content", std::move(all)}};
}

Json message_of(const Reply& reply) {
  Json out = {{"role", "assistant"}, {"content", nullptr}};
  if (!reply.content.empty() || reply.calls.empty()) out["content"] = reply.content;
  if (!reply.reasoning.empty()) out["reasoning_content"] = reply.reasoning;
  if (reply.calls.empty()) return out;
  out["tool_calls"] = Json::array();
  for (size_t i = 0; i < reply.calls.size(); ++i)
    out["tool_calls"].push_back(call_json(reply.calls[i], static_cast<int>(i), /*with_index=*/false));
  return out;
}

}  // namespace

Json ChatForm::chunk(const Answer& answer, Json choices) {
  Json out = {{"id", "chatcmpl-" + answer.id},
              {"object", "chat.completion.chunk"},
              {"created", answer.created},
              {"model", answer.model},
              {"choices", std::move(choices)}};
  if (answer.include_usage) out["usage"] = nullptr;
  return out;
}

std::string ChatForm::delta(const Answer& answer, int choice, Json delta, Json log_probs) {
  return sse(chunk(answer, Json::array({{{"index", choice},
                                         {"delta", std::move(delta)},
                                         {"logprobs", std::move(log_probs)},
                                         {"finish_reason", nullptr}}})));
}

std::string ChatForm::begin(const Answer& answer) {
  std::string out;
  for (size_t i = 0; i < answer.choices.size(); ++i)
    out += delta(answer, static_cast<int>(i), {{"role", "assistant"}, {"content", nullptr}}, nullptr);
  return out;
}

// The log-probabilities of a token go with the first piece of what it says, or alone.
std::string ChatForm::said(const Answer& answer, const Spoken& spoken) {
  Json probs = log_probs_of(answer, spoken);
  std::string out;
  for (const ReplyDelta& d : spoken.deltas) {
    Json json = Json::object();
    switch (d.kind) {
      case ReplyDelta::Kind::kContent:
        json["content"] = d.text;
        break;
      case ReplyDelta::Kind::kReasoning:
        json["reasoning_content"] = d.text;
        break;
      case ReplyDelta::Kind::kCall:
        json["tool_calls"] = Json::array({call_json(d.call, d.index, /*with_index=*/true)});
        break;
    }
    out += delta(answer, spoken.choice, std::move(json), std::exchange(probs, nullptr));
  }
  if (!probs.is_null()) out += delta(answer, spoken.choice, {{"content", ""}}, std::move(probs));
  return out;
}

std::string ChatForm::finish(const Answer& answer, int choice) {
  Json out = chunk(answer, Json::array({{{"index", choice},
                                         {"delta", Json::object()},
                                         {"logprobs", nullptr},
                                         {"finish_reason", finish_word(answer.choices[static_cast<size_t>(choice)])}}}));
  out["timings"] = timings_json(answer);
  return sse(out);
}

std::string ChatForm::end(const Answer& answer) {
  std::string out;
  if (answer.include_usage) {
    Json last = chunk(answer, Json::array());
    last["usage"] = usage_json(answer);
    out = sse(last);
  }
  return out + "data: [DONE]\n\n";
}

Json ChatForm::whole(const Answer& answer) {
  Json choices = Json::array();
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    const AnswerChoice& c = answer.choices[i];
    choices.push_back({{"index", i},
                       {"message", message_of(c.reply)},
                       {"logprobs", log_probs_of(answer, c.said)},
                       {"finish_reason", finish_word(c)}});
  }
  return {{"id", "chatcmpl-" + answer.id},  {"object", "chat.completion"},   {"created", answer.created},
          {"model", answer.model},          {"choices", std::move(choices)}, {"usage", usage_json(answer)},
          {"timings", timings_json(answer)}};
}

}  // namespace skald::serve
