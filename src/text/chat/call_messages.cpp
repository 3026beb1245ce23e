#include "text/chat/call_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/digest.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLength = 9;
constexpr std::string_view kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool is_short(std::string_view id) {
  return id.size() == kLength && id.find_first_not_of(kLetters) == std::string_view::npos;
}

std::string text_at(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

bool has_calls(const Json& message) {
  return message.is_object() && message.contains("tool_calls") && message["tool_calls"].is_array();
}

bool is_result(const Json& message) { return text_at(message, "role") == "tool"; }

std::string name_of(const Json& call) {
  const bool nested = call.is_object() && call.contains("function");
  return text_at(nested ? call["function"] : call, "name");
}

/// Calls that wait for their results.
class OpenCalls {
 public:
  void add(std::string id, std::string name) { calls_.push_back({std::move(id), std::move(name)}); }
  void close(const std::string& id) {
    std::erase_if(calls_, [&](const Open& call) { return call.id == id; });
  }
  /// The first one, of the name if one is given; empty: none waits.
  std::string take(const std::string& name) {
    auto at = std::ranges::find(calls_, name, &Open::name);
    if (at == calls_.end()) at = calls_.begin();
    if (at == calls_.end()) return {};
    std::string id = std::move(at->id);
    calls_.erase(at);
    return id;
  }

 private:
  struct Open {
    std::string id, name;
  };
  std::vector<Open> calls_;
};

void identify_calls(Json& calls, size_t message, bool is_short, OpenCalls& open) {
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!calls[i].is_object()) continue;
    std::string id = text_at(calls[i], "id");
    if (id.empty()) id = short_call_id(fmt::format("call {} of message {}", i, message));
    if (is_short) id = short_call_id(id);
    calls[i]["id"] = id;
    open.add(std::move(id), name_of(calls[i]));
  }
}

void identify_result(Json& result, bool is_short, OpenCalls& open) {
  std::string id = text_at(result, "tool_call_id");
  if (id.empty()) {
    const std::string name = text_at(result, "name");
    id = open.take(name.empty() ? text_at(result, "tool_name") : name);
    if (id.empty()) return;
  } else {
    if (is_short) id = short_call_id(id);
    open.close(id);
  }
  result["tool_call_id"] = std::move(id);
}

// The result of a call, of those after its message: by its id, else by its place.
size_t result_of(const Json& call, size_t place, const std::vector<Json>& results) {
  const std::string id = text_at(call, "id");
  for (size_t i = 0; i < results.size(); ++i)
    if (!id.empty() && text_at(results[i], "tool_call_id") == id) return i;
  return place < results.size() && text_at(results[place], "tool_call_id").empty() ? place : results.size();
}

// Results that belong to none of the calls come last.
void add_singly(const Json& message, std::vector<Json> results, Json& out) {
  std::vector<bool> given(results.size());
  const Json& calls = message["tool_calls"];
  for (size_t i = 0; i < calls.size(); ++i) {
    Json one = i == 0 ? message : Json{{"role", "assistant"}, {"content", ""}};
    one["tool_calls"] = Json::array({calls[i]});
    out.push_back(std::move(one));
    const size_t result = result_of(calls[i], i, results);
    if (result == results.size() || given[result]) continue;
    given[result] = true;
    out.push_back(results[result]);
  }
  for (size_t i = 0; i < results.size(); ++i)
    if (!given[i]) out.push_back(std::move(results[i]));
}

}  // namespace

std::string short_call_id(std::string_view id) {
  if (is_short(id)) return std::string(id);
  const Sha256Sum sum = sha256({std::as_bytes(std::span(id))});
  std::string out;
  for (size_t i = 0; i < kLength; ++i) out += kLetters[std::to_integer<size_t>(sum[i]) % kLetters.size()];
  return out;
}

Json with_call_ids(Json messages, bool is_short) {
  OpenCalls open;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (has_calls(messages[i]))
      identify_calls(messages[i]["tool_calls"], i, is_short, open);
    else if (is_result(messages[i]))
      identify_result(messages[i], is_short, open);
  }
  return messages;
}

Json with_single_calls(const Json& messages) {
  Json out = Json::array();
  for (size_t i = 0; i < messages.size(); ++i) {
    if (!has_calls(messages[i]) || messages[i]["tool_calls"].size() < 2) {
      out.push_back(messages[i]);
      continue;
    }
    size_t end = i + 1;
    while (end < messages.size() && is_result(messages[end])) ++end;
    add_singly(messages[i],
               {messages.begin() + static_cast<std::ptrdiff_t>(i + 1), messages.begin() + static_cast<std::ptrdiff_t>(end)},
               out);
    i = end - 1;
  }
  return out;
}

}  // namespace skald
