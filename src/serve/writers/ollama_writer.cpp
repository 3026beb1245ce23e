#include "serve/writers/ollama_writer.h"

#include "serve/wall_clock.h"
#include "tools/report/finish_word.h"

namespace skald::serve {
namespace {

int64_t ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

Json calls_json(const std::vector<ReplyCall>& calls) {
  Json out = Json::array();
  for (const ReplyCall& call : calls) {
    Json arguments = Json::parse(call.arguments, nullptr, /*allow_exceptions=*/false);
    if (!arguments.is_object()) arguments = Json::object();
    out.push_back({{"id", call.id}, {"function", {{"name", call.name}, {"arguments", std::move(arguments)}}}});
  }
  return out;
}

Json message(const Reply& said) {
  Json out = {{"role", "assistant"}, {"content", said.content}};
  if (!said.reasoning.empty()) out["thinking"] = said.reasoning;
  if (!said.calls.empty()) out["tool_calls"] = calls_json(said.calls);
  return out;
}

}  // namespace

Json OllamaWriter::line(const Answer& answer, const Reply& said) const {
  Json out = {{"model", answer.model}, {"created_at", rfc3339_now()}};
  if (chat_) {
    out["message"] = message(said);
  } else {
    out["response"] = said.content;
    if (!said.reasoning.empty()) out["thinking"] = said.reasoning;
  }
  out["done"] = false;
  return out;
}

Json OllamaWriter::last(const Answer& answer, const Reply& said) const {
  Json out = line(answer, said);
  out["done"] = true;
  out["done_reason"] = skald::finish_word(answer.choices.front().finish);
  out["total_duration"] = ns(seconds_());
  out["load_duration"] = 0;
  out["prompt_eval_count"] = answer.prompt_tokens;
  out["prompt_eval_duration"] = ns(answer.prompt_seconds);
  out["eval_count"] = answer.completion_tokens;
  out["eval_duration"] = ns(answer.generate_seconds);
  return out;
}

std::string OllamaWriter::said(const Answer& answer, const AnswerDelta& spoken) {
  Reply said;
  if (answer.chat)
    said.add(spoken.deltas);
  else
    said.content = spoken.text;
  if (said.content.empty() && said.reasoning.empty() && said.calls.empty()) return {};
  return dump(line(answer, said)) + "\n";
}

std::string OllamaWriter::finish(const Answer& answer, int) { return dump(last(answer, {})) + "\n"; }

Json OllamaWriter::whole(const Answer& answer) {
  const AnswerChoice& c = answer.choices.front();
  if (answer.chat) return last(answer, c.reply);
  Reply said;
  said.content = c.said.text;
  return last(answer, said);
}

Json loaded_line(const std::string& model, bool chat, bool unloaded) {
  Json out = {{"model", model}, {"created_at", rfc3339_now()}};
  if (chat)
    out["message"] = {{"role", "assistant"}, {"content", ""}};
  else
    out["response"] = "";
  out["done"] = true;
  out["done_reason"] = unloaded ? "unload" : "load";
  return out;
}

}  // namespace skald::serve
