// MetaOverrides: metadata with other values than a file has, as people say them: "llama.context_length=int:8192".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/meta.h"

namespace skald {

class MetaOverrides {
 public:
  using Value = std::variant<int64_t, double, bool, std::string>;

  /// Each text is KEY=TYPE:VALUE, as llama.cpp's --override-kv has it: TYPE is int, float, bool (true or false) or str.
  /// A KEY that begins with a dot gets the architecture's name in front.
  /// Throws kBadInput, quoting the text, for other forms, numbers beyond 64 bits and a second value for a key.
  explicit MetaOverrides(const std::vector<std::string>& texts);

  /// A key that is there keeps its type. One that is not becomes a uint32 (where that is too narrow an int32 or int64), a
  /// float32, a bool or a string. Throws kBadInput, quoting the text, where the key is of another kind, or of a type that
  /// does not hold the value.
  void apply(Meta& meta) const;

  bool has(std::string_view key) const;
  /// "with the overrides 'a=int:1' 'b=int:2'"; empty where there are none.
  std::string words() const;

  /// Runs `f`, which reads what apply() has changed. Its errors name the overrides, which may be at fault.
  template <class F>
  decltype(auto) reading(F&& f) const {
    return overrides_.empty() ? f() : doing(words(), std::forward<F>(f));
  }

 private:
  struct Override {
    std::string text, key;
    Value value;
  };

  std::vector<Override> overrides_;
};

}  // namespace skald
