// NamePattern: a regular expression from a flag, looked for in the names of a file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace skald {

class NamePattern {
 public:
  /// Throws kBadInput saying where the expression is wrong.
  explicit NamePattern(std::string_view expression);

  /// Returns whether any part of `name` matches. Throws kBadInput for an expression that takes too long.
  bool found_in(std::string_view name) const;

 private:
  struct FreeCode {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::string expression_;
  std::unique_ptr<pcre2_real_code_8, FreeCode> code_;
};

}  // namespace skald
