#include "serve/writers/response_echo.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace skald::serve {
namespace {

Json said_or(const Json& object, std::string_view key, Json otherwise) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::move(otherwise) : *found;
}

// 0.3f as 0.3.
double shortest(float x) { return std::stod(fmt::format("{}", x)); }

// Of functions, typed clients want all fields; tools of other kinds are given back as they came.
Json tools_of(const Json& body) {
  Json out = said_or(body, "tools", Json::array());
  for (Json& tool : out)
    if (is_text(said_or(tool, "type", "function"), "function"))
      for (const char* key : {"description", "parameters", "strict"}) tool.emplace(key, nullptr);
  return out;
}

Json text_of(const Json& body) {
  Json out = said_or(body, "text", Json::object());
  out["format"] = said_or(out, "format", {{"type", "text"}});
  return out;
}

Json reasoning_of(const Json& body) {
  const Json said = said_or(body, "reasoning", Json::object());
  return {{"effort", said_or(said, "effort", nullptr)}, {"summary", said_or(said, "summary", nullptr)}};
}

}  // namespace

Json response_echo(const Json& body, const GenerationRequest& what) {
  const SamplingParams& sampling = what.request.sampling;
  Json out = Json::object();
  for (const char* key : {"instructions", "max_output_tokens", "max_tool_calls", "safety_identifier", "prompt_cache_key"})
    out[key] = said_or(body, key, nullptr);
  out["background"] = false;
  out["metadata"] = said_or(body, "metadata", Json::object());
  out["parallel_tool_calls"] = said_or(body, "parallel_tool_calls", true);
  out["temperature"] = shortest(sampling.temperature);
  out["top_p"] = shortest(sampling.top_p);
  out["presence_penalty"] = shortest(sampling.presence_penalty);
  out["frequency_penalty"] = shortest(sampling.frequency_penalty);
  out["top_logprobs"] = std::max(0, what.top_log_probs);
  out["reasoning"] = reasoning_of(body);
  out["service_tier"] = "default";
  out["text"] = text_of(body);
  out["tool_choice"] = said_or(body, "tool_choice", "auto");
  out["tools"] = tools_of(body);
  out["truncation"] = said_or(body, "truncation", "disabled");
  out["store"] = false;
  return out;
}

}  // namespace skald::serve
