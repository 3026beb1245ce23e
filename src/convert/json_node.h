// JsonNode: a value in a JSON file that knows where it lies, so that errors can name the place.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "skald/error.h"

namespace skald {

/// A view: the parsed file must outlive it. All errors are kBadFile and begin with name().
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string name) : value_(&value), name_(std::move(name)) {}

  /// Returns the file and the way to the value: "tokenizer.json: model.vocab".
  const std::string& name() const { return name_; }
  const nlohmann::json& raw() const { return *value_; }
  bool is_object() const;
  bool is_text() const;

  /// Returns a member of an object; throws for anything but an object, and where there is none.
  JsonNode at(std::string_view key) const;
  /// The same with nullopt for a member that is absent or null.
  std::optional<JsonNode> find(std::string_view key) const;
  /// Returns an element of an array (`i` < size()).
  JsonNode at(size_t i) const;
  /// Elements of an array.
  size_t size() const;

  const std::string& text() const;
  int64_t integer() const;
  double number() const;
  bool flag() const;

  std::string text(std::string_view key, std::string_view fallback) const;
  bool flag(std::string_view key, bool fallback) const;

  /// Throws: "<name>: want <what>".
  [[noreturn]] void want(std::string_view what) const;

 private:
  const nlohmann::json* value_;
  std::string name_;
};

/// Runs `f`; an Error passing through that does not begin with the file's name gets it.
template <class F>
decltype(auto) in_file(const std::string& file, F&& f) {
  try {
    return f();
  } catch (Error& e) {
    if (!std::string_view(e.what()).starts_with(file)) e.add(file);
    throw;
  }
}

}  // namespace skald
