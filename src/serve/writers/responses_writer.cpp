#include "serve/writers/responses_writer.h"

#include <utility>

#include "serve/wall_clock.h"
#include "serve/writers/openai_writer.h"

namespace skald::serve {
namespace {

Json text_part(const std::string& text, const Json& log_probs) {
  return {{"type", "output_text"}, {"text", text}, {"annotations", Json::array()}, {"logprobs", log_probs}};
}

Json message_item(const std::string& id, std::string_view status, Json content) {
  return {{"id", id}, {"type", "message"}, {"status", status}, {"role", "assistant"}, {"content", std::move(content)}};
}

Json reasoning_item(const std::string& id, const std::string& text, bool with_part) {
  return {{"id", id},
          {"type", "reasoning"},
          {"summary", Json::array()},
          {"content", with_part ? Json::array({{{"type", "reasoning_text"}, {"text", text}}}) : Json::array()}};
}

Json call_item(const std::string& id, const ReplyCall& call, const std::string& arguments, std::string_view status) {
  return {{"id", id},           {"type", "function_call"}, {"status", status},
          {"call_id", call.id}, {"name", call.name},       {"arguments", arguments}};
}

bool was_cut(const Answer& answer) {
  const FinishReason why = answer.choices.front().finish;
  return why == FinishReason::kLength || why == FinishReason::kContext;
}

std::string_view status_of(const Answer& answer) { return was_cut(answer) ? "incomplete" : "completed"; }

Json response_usage(const Answer& a) {
  return {{"input_tokens", a.prompt_tokens},
          {"input_tokens_details", {{"cached_tokens", a.cached_tokens}, {"cache_write_tokens", 0}}},
          {"output_tokens", a.completion_tokens},
          {"output_tokens_details", {{"reasoning_tokens", a.reasoning_tokens}}},
          {"total_tokens", a.prompt_tokens + a.completion_tokens}};
}

}  // namespace

Json ResponsesWriter::response(const Answer& a, std::string_view status) const {
  Json out = {{"id", "resp_" + a.id}, {"object", "response"}, {"created_at", a.created},
              {"status", status},     {"error", nullptr},     {"incomplete_details", nullptr},
              {"model", a.model},     {"output", output_},    {"previous_response_id", nullptr},
              {"store", false}};
  for (const auto& [key, value] : echoed_.items()) out[key] = value;
  out["completed_at"] = status == "completed" ? Json(unix_now()) : Json(nullptr);
  out["usage"] = nullptr;
  if (status == "in_progress") return out;
  if (was_cut(a)) out["incomplete_details"] = {{"reason", "max_output_tokens"}};
  out["usage"] = response_usage(a);
  return out;
}

std::string ResponsesWriter::event(std::string_view name, Json fields) {
  const std::string type = "response." + std::string(name);
  Json out = {{"type", type}, {"sequence_number", sequence_++}};
  for (auto& [key, value] : fields.items()) out[key] = std::move(value);
  return sse(type, out);
}

std::string ResponsesWriter::begin(const Answer& answer) {
  std::string out = event("created", {{"response", response(answer, "in_progress")}});
  return out += event("in_progress", {{"response", response(answer, "in_progress")}});
}

std::string ResponsesWriter::reading(const Answer& answer, const PromptProgress& progress) {
  return event("in_progress", {{"response", response(answer, "in_progress")}, {"prompt_progress", progress_json(progress)}});
}

std::string ResponsesWriter::open(Item item) {
  std::string out = close();
  item_ = item;
  item_text_.clear();
  item_log_probs_ = Json::array();
  const bool message = item == Item::kMessage;
  item_id_ = (message ? "msg_" : "rs_") + random_id();
  out += event("output_item.added", {{"output_index", output_.size()},
                                     {"item", message ? message_item(item_id_, "in_progress", Json::array())
                                                      : reasoning_item(item_id_, "", false)}});
  if (!message) return out;
  return out + event("content_part.added", {{"item_id", item_id_},
                                            {"output_index", output_.size()},
                                            {"content_index", 0},
                                            {"part", text_part("", Json::array())}});
}

Json ResponsesWriter::take_untold() {
  item_log_probs_.insert(item_log_probs_.end(), untold_.begin(), untold_.end());
  return std::exchange(untold_, Json::array());
}

std::string ResponsesWriter::close(std::string_view status) {
  const std::optional<Item> item = std::exchange(item_, std::nullopt);
  if (!item) return {};
  const bool message = *item == Item::kMessage;
  if (message) take_untold();  // of tokens without a text, as the one that ends it
  const Json place = {{"item_id", item_id_}, {"output_index", output_.size()}, {"content_index", 0}};
  Json done = place;
  done["text"] = item_text_;
  if (message) done["logprobs"] = item_log_probs_;
  std::string out = event(message ? "output_text.done" : "reasoning_text.done", done);
  if (message) {
    Json part = place;
    part["part"] = text_part(item_text_, item_log_probs_);
    out += event("content_part.done", part);
  }
  Json whole = message ? message_item(item_id_, status, Json::array({text_part(item_text_, item_log_probs_)}))
                       : reasoning_item(item_id_, item_text_, true);
  out += event("output_item.done", {{"output_index", output_.size()}, {"item", whole}});
  output_.push_back(std::move(whole));
  return out;
}

std::string ResponsesWriter::text(Item item, const std::string& text) {
  if (text.empty()) return {};
  std::string out;
  if (item_ != item) out = open(item);
  item_text_ += text;
  Json delta = {{"item_id", item_id_}, {"output_index", output_.size()}, {"content_index", 0}, {"delta", text}};
  if (item == Item::kReasoning) return out + event("reasoning_text.delta", std::move(delta));
  delta["logprobs"] = take_untold();
  return out + event("output_text.delta", std::move(delta));
}

std::string ResponsesWriter::call(const ReplyCall& call) {
  std::string out = close();
  const std::string id = "fc_" + random_id();
  const size_t index = output_.size();
  out += event("output_item.added", {{"output_index", index}, {"item", call_item(id, call, "", "in_progress")}});
  out += event("function_call_arguments.delta", {{"item_id", id}, {"output_index", index}, {"delta", call.arguments}});
  out += event("function_call_arguments.done",
               {{"item_id", id}, {"output_index", index}, {"name", call.name}, {"arguments", call.arguments}});
  Json whole = call_item(id, call, call.arguments, "completed");
  out += event("output_item.done", {{"output_index", index}, {"item", whole}});
  output_.push_back(std::move(whole));
  return out;
}

std::string ResponsesWriter::said(const Answer& answer, const AnswerDelta& spoken) {
  std::string out;
  if (answer.top_log_probs >= 0 && spoken.token >= 0 && !spoken.reasoning) untold_.push_back(log_prob_json(answer, spoken));
  for (const ReplyDelta& d : spoken.deltas)
    out += d.kind == ReplyDelta::Kind::kCall
               ? call(d.call)
               : text(d.kind == ReplyDelta::Kind::kReasoning ? Item::kReasoning : Item::kMessage, d.text);
  return out;
}

std::string ResponsesWriter::finish(const Answer& answer, int) {
  std::string out;
  if (!item_ && output_.empty()) out = open(Item::kMessage);
  const std::string_view status = status_of(answer);
  out += close(status);
  return out + event(status, {{"response", response(answer, status)}});
}

Json ResponsesWriter::whole(const Answer& answer) {
  const Reply& reply = answer.choices.front().reply;
  if (!reply.reasoning.empty()) output_.push_back(reasoning_item("rs_" + random_id(), reply.reasoning, true));
  const std::string_view status = status_of(answer);
  Json probs = Json::array();
  if (answer.top_log_probs >= 0)
    probs = log_probs_json(answer, answer.choices.front().said, static_cast<size_t>(answer.reasoning_tokens));
  if (!reply.content.empty() || (output_.empty() && reply.calls.empty()))
    output_.push_back(message_item("msg_" + random_id(), status, Json::array({text_part(reply.content, probs)})));
  for (const ReplyCall& c : reply.calls) output_.push_back(call_item("fc_" + random_id(), c, c.arguments, "completed"));
  return response(answer, status);
}

}  // namespace skald::serve
