#include "serve/writers/chat_writer.h"

#include <utility>

namespace skald::serve {
namespace {

Json log_probs_of(const Answer& answer, const AnswerDelta& spoken) {
  if (answer.top_log_probs < 0 || spoken.token < 0) return nullptr;
  return {{"content", Json::array({log_prob_json(answer, spoken)})}};
}

Json log_probs_of(const Answer& answer, const Choice& said) {
  if (answer.top_log_probs < 0) return nullptr;
  return {{"content", log_probs_json(answer, said, 0)}};
}

Json message_of(const Reply& reply) {
  Json out = {{"role", "assistant"}, {"content", nullptr}, {"refusal", nullptr}};
  if (!reply.content.empty() || reply.calls.empty()) out["content"] = reply.content;
  if (!reply.reasoning.empty()) out["reasoning_content"] = reply.reasoning;
  if (reply.calls.empty()) return out;
  out["tool_calls"] = Json::array();
  for (size_t i = 0; i < reply.calls.size(); ++i)
    out["tool_calls"].push_back(call_json(reply.calls[i], static_cast<int>(i), /*with_index=*/false));
  return out;
}

}  // namespace

std::string ChatWriter::delta(const Answer& answer, int choice, Json delta, Json log_probs) const {
  return sse(chunk(answer, Json::array({{{"index", choice},
                                         {"delta", std::move(delta)},
                                         {"logprobs", std::move(log_probs)},
                                         {"finish_reason", nullptr}}})));
}

std::string ChatWriter::begin(const Answer& answer) {
  std::string out;
  for (size_t i = 0; i < answer.choices.size(); ++i)
    out += delta(answer, static_cast<int>(i), {{"role", "assistant"}, {"content", nullptr}}, nullptr);
  return out;
}

std::string ChatWriter::reading(const Answer& answer, const PromptProgress& progress) {
  return progress_chunk(
      answer,
      {{"index", progress.prompt * answer.n}, {"delta", Json::object()}, {"logprobs", nullptr}, {"finish_reason", nullptr}},
      progress);
}

// The log-probabilities of a token go with the first piece of what it says, or alone.
std::string ChatWriter::said(const Answer& answer, const AnswerDelta& spoken) {
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

std::string ChatWriter::finish(const Answer& answer, int choice) {
  return last_chunk(answer, {{"index", choice},
                             {"delta", Json::object()},
                             {"logprobs", nullptr},
                             {"finish_reason", finish_word(answer.choices[static_cast<size_t>(choice)])}});
}

Json ChatWriter::whole(const Answer& answer) {
  Json choices = Json::array();
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    const AnswerChoice& c = answer.choices[i];
    choices.push_back({{"index", i},
                       {"message", message_of(c.reply)},
                       {"logprobs", log_probs_of(answer, c.said)},
                       {"finish_reason", finish_word(c)}});
  }
  return all(answer, std::move(choices));
}

}  // namespace skald::serve
