#include "serve/json.h"

#include "base/error.h"
#include "base/terminal_text.h"
#include "serve/api_error.h"
#include "text/chat/chat_json.h"

namespace skald::serve {
namespace {

constexpr ChatJsonLimits kLimits{.depth = 64, .keys = 8192};
constexpr size_t kLongestPlace = 200;

Json read_json(std::string_view body) {
  Json out;
  std::string place;
  try {
    out = parse_chat_json(body, "the body", kLimits, &place);
  } catch (const Error& e) {
    throw ApiError(400, e.what() + (place.empty() ? "" : " (at " + terminal_text(place.substr(0, kLongestPlace)) + ")"),
                   place.substr(0, kLongestPlace), "invalid_json");
  }
  return out;
}

}  // namespace

Json read_body(std::string_view body) {
  Json out = read_json(body);
  if (!out.is_object()) throw ApiError(400, "the body: want a JSON object", {}, "invalid_json");
  return out;
}

Json read_list(std::string_view body) {
  Json out = read_json(body);
  if (!out.is_array()) throw ApiError(400, "the body: want a JSON list", {}, "invalid_json");
  return out;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json bytes_json(std::string_view bytes) {
  Json out = Json::array();
  for (const char c : bytes) out.push_back(static_cast<unsigned char>(c));
  return out;
}

HttpAnswer json_answer(const Json& json) { return {200, {{"content-type", "application/json"}}, dump(json)}; }

std::string sse(const Json& json) { return "data: " + dump(json) + "\n\n"; }

std::string sse(std::string_view event, const Json& json) {
  return "event: " + std::string(event) + "\ndata: " + dump(json) + "\n\n";
}

}  // namespace skald::serve
