// ArgumentList: arguments that a format writes one by one, as the JSON text of an object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace skald {

/// Writes a value that came without quotes as JSON: a text where the kinds (bits of JsonKind) say so. Else it is read as
/// JSON, or as Python where only that fits. A value that is neither is a text.
std::string argument_json(std::string_view value, uint8_t kinds);

class ArgumentList {
 public:
  /// `json`: the value. A key that is there already gets the new value.
  void add(std::string key, std::string json);
  bool has(std::string_view key) const;
  std::string json() const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

}  // namespace skald
