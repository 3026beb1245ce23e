#include "base/meta_overrides.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <type_traits>

#include "base/number_from_chars.h"

namespace skald {
namespace {

template <class T>
T parse_number(std::string_view text, const char* kind) {
  T out{};
  const auto [end, error] = number_from_chars(text.data(), text.data() + text.size(), out);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    fail(Errc::kBadInput, "'{}' is not {}", text, kind);
  if (error == std::errc::result_out_of_range) fail(Errc::kBadInput, "'{}' is beyond what 64 bits hold", text);
  return out;
}

double parse_float(std::string_view text) {
  const auto out = parse_number<double>(text, "a number");
  if (!std::isfinite(out)) fail(Errc::kBadInput, "'{}' is not a finite number", text);
  return out;
}

bool parse_bool(std::string_view text) {
  if (text != "true" && text != "false") fail(Errc::kBadInput, "'{}' is neither true nor false", text);
  return text == "true";
}

MetaOverrides::Value parse_value(std::string_view type, std::string_view text) {
  if (type == "int") return parse_number<int64_t>(text, "an integer");
  if (type == "float") return parse_float(text);
  if (type == "bool") return parse_bool(text);
  if (type == "str") return std::string(text);
  fail(Errc::kBadInput, "no type is named '{}'; want int, float, bool or str", type);
}

// The value as a T, if a T holds it.
template <class T, class V>
MetaValue as(V value) {
  bool holds = true;
  if constexpr (std::is_floating_point_v<T>)
    holds = std::abs(value) <= std::numeric_limits<T>::max();
  else
    holds = std::in_range<T>(value);
  if (!holds) fail(Errc::kBadInput, "the key has the type {}, which does not hold {}", kind_of(T{}), value);
  return static_cast<T>(value);
}

MetaValue like(const MetaValue& there, const MetaOverrides::Value& value) {
  const auto convert = [&]<class T, class V>(const T&, const V& v) -> MetaValue {
    constexpr bool kInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
    if constexpr ((kInteger && std::is_same_v<V, int64_t>) || (std::is_floating_point_v<T> && std::is_same_v<V, double>))
      return as<T>(v);
    else if constexpr (std::is_same_v<T, V>)
      return v;
    else
      fail(Errc::kBadInput, "the key has the type {} in the model", kind_of(there));
  };
  return std::visit(convert, there, value);
}

// Of a key that is not there: the types that llama.cpp writes, where they are wide enough.
MetaValue unlike_any(const MetaOverrides::Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) {
    if (std::in_range<uint32_t>(*i)) return static_cast<uint32_t>(*i);
    if (std::in_range<int32_t>(*i)) return static_cast<int32_t>(*i);
    return *i;
  }
  if (std::holds_alternative<double>(value)) return like(float{}, value);
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  return std::get<std::string>(value);
}

}  // namespace

MetaOverrides::MetaOverrides(const std::vector<std::string>& texts) {
  for (const std::string& text : texts)
    doing("override '" + text + "'", [&] {
      const size_t equals = text.find('='), colon = text.find(':', equals);
      if (equals == 0 || colon == std::string::npos) fail(Errc::kBadInput, "want KEY=TYPE:VALUE");
      const std::string key = text.substr(0, equals);
      if (has(key)) fail(Errc::kBadInput, "the key has another override");
      const std::string_view type = std::string_view(text).substr(equals + 1, colon - equals - 1);
      overrides_.push_back({text, key, parse_value(type, std::string_view(text).substr(colon + 1))});
    });
}

void MetaOverrides::apply(Meta& meta) const {
  for (const Override& o : overrides_)
    doing("override '" + o.text + "'", [&] {
      const std::string key = o.key.starts_with('.') ? meta.str("general.architecture") + o.key : o.key;
      const MetaValue* there = meta.peek(key);
      meta.set(key, there ? like(*there, o.value) : unlike_any(o.value));
    });
}

bool MetaOverrides::has(std::string_view key) const {
  return std::ranges::any_of(overrides_, [&](const Override& o) { return o.key == key; });
}

std::string MetaOverrides::words() const {
  if (overrides_.empty()) return "";
  std::string out = overrides_.size() == 1 ? "with the override" : "with the overrides";
  for (const Override& o : overrides_) out += " '" + o.text + "'";
  return out;
}

}  // namespace skald
