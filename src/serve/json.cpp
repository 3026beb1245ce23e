#include "serve/json.h"

#include "base/error.h"
#include "serve/api_error.h"
#include "text/chat/chat_json.h"

namespace skald::serve {
namespace {

constexpr ChatJsonLimits kLimits{.depth = 64, .keys = 8192};

}  // namespace

Json read_body(std::string_view body) {
  Json out;
  try {
    out = parse_chat_json(body, "the body", kLimits);
  } catch (const Error& e) {
    throw ApiError(400, e.what(), {}, "invalid_json");
  }
  if (!out.is_object()) throw ApiError(400, "the body: want a JSON object", {}, "invalid_json");
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
