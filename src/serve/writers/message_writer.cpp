#include "serve/writers/message_writer.h"

#include <utility>

namespace skald::serve {
namespace {

std::string_view stop_reason(const AnswerChoice& c) {
  if (!c.reply.calls.empty()) return "tool_use";
  if (c.finish == FinishReason::kLength || c.finish == FinishReason::kContext) return "max_tokens";
  return c.said.stop_text.empty() ? "end_turn" : "stop_sequence";
}

Json stop_sequence(const AnswerChoice& c) {
  return stop_reason(c) == "stop_sequence" ? Json(c.said.stop_text) : Json(nullptr);
}

Json message_usage(const Answer& a) {
  return {{"input_tokens", a.prompt_tokens - a.cached_tokens},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", a.cached_tokens},
          {"output_tokens", a.completion_tokens}};
}

Json input_of(const ReplyCall& call) {
  Json input = Json::parse(call.arguments, nullptr, /*allow_exceptions=*/false);
  return input.is_object() ? input : Json::object();
}

Json tool_use(const ReplyCall& call, Json input) {
  return {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", std::move(input)}};
}

Json message(const Answer& a) {
  return {{"id", "msg_" + a.id},      {"type", "message"},      {"role", "assistant"},      {"model", a.model},
          {"content", Json::array()}, {"stop_reason", nullptr}, {"stop_sequence", nullptr}, {"usage", message_usage(a)}};
}

}  // namespace

std::string MessageWriter::ping() const { return sse("ping", {{"type", "ping"}}); }

std::string MessageWriter::begin(const Answer& answer) {
  return sse("message_start", {{"type", "message_start"}, {"message", message(answer)}});
}

std::string MessageWriter::open(Block block, const Json& content) {
  std::string out = close();
  block_ = block;
  return out +
         sse("content_block_start", {{"type", "content_block_start"}, {"index", ++index_}, {"content_block", content}});
}

std::string MessageWriter::close() {
  if (!std::exchange(block_, std::nullopt)) return {};
  return sse("content_block_stop", {{"type", "content_block_stop"}, {"index", index_}});
}

std::string MessageWriter::text(Block block, const std::string& text) {
  const bool thinks = block == Block::kThinking;
  std::string out;
  if (block_ != block)
    out = open(block, thinks ? Json{{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}
                             : Json{{"type", "text"}, {"text", ""}});
  const Json delta =
      thinks ? Json{{"type", "thinking_delta"}, {"thinking", text}} : Json{{"type", "text_delta"}, {"text", text}};
  return out + sse("content_block_delta", {{"type", "content_block_delta"}, {"index", index_}, {"delta", delta}});
}

std::string MessageWriter::call(const ReplyCall& call) {
  std::string out = open(Block::kToolUse, tool_use(call, Json::object()));
  out += sse("content_block_delta", {{"type", "content_block_delta"},
                                     {"index", index_},
                                     {"delta", {{"type", "input_json_delta"}, {"partial_json", dump(input_of(call))}}}});
  return out + close();
}

std::string MessageWriter::said(const Answer&, const AnswerDelta& spoken) {
  std::string out;
  for (const ReplyDelta& d : spoken.deltas) {
    if (d.kind == ReplyDelta::Kind::kCall)
      out += call(d.call);
    else if (!d.text.empty())
      out += text(d.kind == ReplyDelta::Kind::kReasoning ? Block::kThinking : Block::kText, d.text);
  }
  return out;
}

// An answer without anything has one empty block of text.
std::string MessageWriter::finish(const Answer& answer, int choice) {
  const AnswerChoice& c = answer.choices[static_cast<size_t>(choice)];
  std::string out = index_ < 0 ? open(Block::kText, {{"type", "text"}, {"text", ""}}) + close() : close();
  out += sse("message_delta", {{"type", "message_delta"},
                               {"delta", {{"stop_reason", stop_reason(c)}, {"stop_sequence", stop_sequence(c)}}},
                               {"usage", message_usage(answer)}});
  return out + sse("message_stop", {{"type", "message_stop"}});
}

Json MessageWriter::whole(const Answer& answer) {
  const AnswerChoice& c = answer.choices.front();
  Json out = message(answer);
  Json& content = out["content"];
  if (!c.reply.reasoning.empty())
    content.push_back({{"type", "thinking"}, {"thinking", c.reply.reasoning}, {"signature", ""}});
  if (!c.reply.content.empty() || c.reply.calls.empty()) content.push_back({{"type", "text"}, {"text", c.reply.content}});
  for (const ReplyCall& call : c.reply.calls) content.push_back(tool_use(call, input_of(call)));
  out["stop_reason"] = stop_reason(c);
  out["stop_sequence"] = stop_sequence(c);
  return out;
}

}  // namespace skald::serve
