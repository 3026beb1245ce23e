// What a text must look like: a grammar, a regular expression or a JSON schema.
#pragma once

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)
namespace skald {

/// Where white space may stand between the parts of a JSON value; never around the whole.
enum class JsonWhitespace : uint8_t {
  kFlexible,  // at each place nothing, a space, or a line feed and up to 64 blanks
  kSingle,    // at most one space, behind ":" and ","
  kNone,
};

struct GrammarParams {
  enum class Kind : uint8_t { kNone, kGbnf, kRegex, kJsonSchema };

  Kind kind = Kind::kNone;
  std::string text = {};                                // in the kind's notation
  JsonWhitespace whitespace = JsonWhitespace::kSingle;  // of a JSON schema

  friend bool operator==(const GrammarParams&, const GrammarParams&) = default;
};

}  // namespace skald
#pragma GCC visibility pop
