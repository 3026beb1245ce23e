#include "serve/batch/batch_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/digest.h"
#include "serve/api_error.h"
#include "serve/json.h"

namespace skald::serve {
namespace {

constexpr std::array<std::string_view, 4> kUrls = {"/v1/chat/completions", "/v1/completions", "/v1/responses",
                                                   "/v1/embeddings"};
constexpr size_t kLongestId = 512;

Json parse(const LineReader::Line& line) {
  if (line.too_long) throw BatchLineError("line_too_long", "the line is longer than --max-body allows");
  try {
    return read_body(line.text);
  } catch (const ApiError& e) {
    std::string message = e.message();
    if (constexpr std::string_view kBody = "the body"; message.starts_with(kBody))
      message.replace(0, kBody.size(), "the line");
    throw BatchLineError("invalid_json_line", message);
  }
}

std::string id_in(const Json& json) {
  const auto id = json.find("custom_id");
  if (id == json.end()) throw BatchLineError("missing_custom_id", "custom_id: want a text");
  if (!id->is_string() || id->get_ref<const std::string&>().empty() || id->get_ref<const std::string&>().size() > kLongestId)
    throw BatchLineError("invalid_custom_id", fmt::format("custom_id: want a text of 1 to {} bytes", kLongestId));
  return id->get<std::string>();
}

std::string text_in(const Json& json, const char* key, const std::string& id) {
  const auto value = json.find(key);
  if (value == json.end() || !value->is_string())
    throw BatchLineError(std::string("invalid_") + key, std::string(key) + ": want a text", id);
  return value->get<std::string>();
}

void check_keys(const Json& json, const std::string& id) {
  for (const auto& [key, value] : json.items())
    if (key != "custom_id" && key != "method" && key != "url" && key != "body")
      throw BatchLineError("unknown_field", key + ": want custom_id, method, url and body alone", id);
}

// Templates put tools and the system's text first.
std::string prefix_of(const Json& body) {
  std::string out;
  for (const char* key : {"model", "cache_salt", "tools", "instructions", "messages", "prompt", "input"})
    if (const auto value = body.find(key); value != body.end()) out += dump(*value) + "\n";
  return out;
}

}  // namespace

std::string batch_sum(const LineReader::Line& line, const std::optional<std::string>& custom_id) {
  constexpr size_t kBytes = 16;
  const std::string number = custom_id ? "" : fmt::format("\n{}", line.number);
  const Sha256Sum sum = sha256({std::as_bytes(std::span(line.text)), std::as_bytes(std::span(number))});
  return hexadecimal(std::span(sum).first(kBytes));
}

BatchRequest parse_batch_line(const LineReader::Line& line) {
  Json json = parse(line);
  BatchRequest out{.line = line.number, .custom_id = id_in(json)};
  check_keys(json, out.custom_id);
  if (const std::string method = text_in(json, "method", out.custom_id); method != "POST")
    throw BatchLineError("invalid_method", "method: want POST", out.custom_id);
  out.url = text_in(json, "url", out.custom_id);
  if (std::ranges::find(kUrls, out.url) == kUrls.end())
    throw BatchLineError("invalid_url", fmt::format("url: {} is not one of {}", out.url, fmt::join(kUrls, ", ")),
                         out.custom_id);
  const auto body = json.find("body");
  if (body == json.end() || !body->is_object()) throw BatchLineError("invalid_body", "body: want an object", out.custom_id);
  if (const auto stream = body->find("stream"); stream != body->end())
    out.streams = stream->is_boolean() && stream->get<bool>();
  out.sum = batch_sum(line, out.custom_id);
  out.body = dump(*body);
  out.prefix = prefix_of(*body);
  return out;
}

std::optional<std::string> custom_id_of(const LineReader::Line& line) {
  try {
    return id_in(parse(line));
  } catch (const BatchLineError&) {
    return {};
  }
}

}  // namespace skald::serve
