#include "tools/chat/reply_json.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/chat/template_source.h"
#include "tools/report/vocab_file.h"

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

std::vector<std::string> listed_pieces(std::string_view lines) {
  std::vector<std::string> out;
  for (size_t number = 1; !lines.empty(); ++number) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const Json piece = Json::parse(line, nullptr, false);
    if (!piece.is_string()) fail(Errc::kBadInput, "line {} is no JSON text", number);
    out.push_back(piece.get<std::string>());
  }
  return out;
}

std::string model_template(const std::string& path, const LoadOptions& options) {
  return find_template(load_metadata(path, options), /*with_tools=*/true).text;
}

}  // namespace skald
