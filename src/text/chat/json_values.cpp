#include "text/chat/json_values.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "text/chat/jinja/run/protocol.h"

namespace skald {
namespace {

using jinja::Value;
using Json = nlohmann::ordered_json;

bool is_known_role(std::string_view role) {
  constexpr std::array<std::string_view, 10> kRoles = {"system",   "developer", "user",        "assistant", "tool",
                                                       "function", "ipython",   "observation", "model",     "tool_response"};
  return std::ranges::find(kRoles, role) != kRoles.end();
}

Value integer_value(jinja::Heap& heap, const Json& json) {
  const bool large = json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX;
  if (!large) return Value::of(json.get<int64_t>());
  return jinja::make_integer(heap, jinja::Integer::parse(json.dump(), 10));
}

Value object_value(jinja::Heap& heap, const Json& json, bool is_message) {
  const jinja::Ref<jinja::Dict> dict = heap.make<jinja::Dict>();
  for (const auto& [key, item] : json.items()) {
    const bool trusted =
        is_message && key == "role" && item.is_string() && is_known_role(item.get_ref<const std::string&>());
    Value value = trusted ? jinja::make_text(heap, item.get<std::string>(), true) : value_of_json(heap, item);
    dict->set(jinja::make_text(heap, key, false), std::move(value));
  }
  return dict;
}

}  // namespace

Value value_of_json(jinja::Heap& heap, const Json& json) {
  heap.budget().check_depth();
  heap.budget().step();
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value::of(json.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return integer_value(heap, json);
    case Json::value_t::number_float:
      return Value::of(json.get<double>());
    case Json::value_t::string:
      return jinja::make_text(heap, json.get<std::string>(), false);
    case Json::value_t::object:
      return object_value(heap, json, false);
    case Json::value_t::array: {
      std::vector<Value> items;
      items.reserve(json.size());
      for (const Json& item : json) items.push_back(value_of_json(heap, item));
      return jinja::make_list(heap, std::move(items));
    }
    default:
      return Value::none();
  }
}

Value value_of_message(jinja::Heap& heap, const Json& json) {
  return json.is_object() ? object_value(heap, json, true) : value_of_json(heap, json);
}

}  // namespace skald
