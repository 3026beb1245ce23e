// ReplyTools: the types of the parameters of a request's tools.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skald {

/// Kinds of JSON values, as bits.
enum JsonKind : uint8_t {
  kNoKind = 0,
  kTextKind = 1,
  kNumberKind = 2,
  kBoolKind = 4,
  kNullKind = 8,
  kObjectKind = 16,
  kArrayKind = 32
};

/// Of a JSON value by how it begins.
JsonKind json_kind(std::string_view value);

class ReplyTools {
 public:
  /// Tools are unknown: any name may be called.
  ReplyTools() = default;
  /// Of a JSON list as the chat API's: {"type": "function", "function": {"name", "parameters"}}, or the functions alone.
  /// Throws kBadInput naming the fault.
  static ReplyTools parse(std::string_view json);

  bool known() const { return tools_.has_value(); }
  /// Returns whether there is such a tool; true while the tools are unknown.
  bool has(std::string_view name) const;
  /// Empty while the tools are unknown.
  std::vector<std::string> names() const;
  /// Returns whether the tool may have such a parameter; true if the tool or its parameters are unknown.
  bool has_parameter(std::string_view name, std::string_view parameter) const;
  /// Kinds that the parameter's schema allows, as bits; kNoKind where nothing is said.
  uint8_t kinds(std::string_view name, std::string_view parameter) const;

 private:
  using Parameters = std::map<std::string, uint8_t, std::less<>>;
  const Parameters* find(std::string_view name) const;
  std::optional<std::map<std::string, Parameters, std::less<>>> tools_;
};

}  // namespace skald
