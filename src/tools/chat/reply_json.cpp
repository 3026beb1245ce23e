#include "tools/chat/reply_json.h"

#include <nlohmann/json.hpp>

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string reply_json(const Reply& reply) {
  Json calls = Json::array();
  for (const ReplyCall& call : reply.calls) calls.push_back({{"name", call.name}, {"arguments", call.arguments}});
  const Json out = {
      {"content", text_or_null(reply.content)}, {"reasoning_content", text_or_null(reply.reasoning)}, {"tool_calls", calls}};
  return out.dump() + "\n";
}

std::string delta_line(const ReplyDelta& delta) {
  Json out;
  if (delta.kind == ReplyDelta::Kind::kCall) {
    Json call = {{"index", delta.index}};
    if (!delta.call.id.empty()) call["id"] = delta.call.id;
    call["type"] = "function";
    call["function"] = {{"name", delta.call.name}, {"arguments", delta.call.arguments}};
    out["tool_calls"] = Json::array({std::move(call)});
  } else {
    out[delta.kind == ReplyDelta::Kind::kContent ? "content" : "reasoning_content"] = delta.text;
  }
  return out.dump() + "\n";
}

std::vector<std::string_view> equal_pieces(std::string_view text, size_t bytes) {
  std::vector<std::string_view> out;
  if (bytes == 0) bytes = text.size();
  for (size_t at = 0; at < text.size(); at += bytes) out.push_back(text.substr(at, bytes));
  return out;
}

}  // namespace skald
