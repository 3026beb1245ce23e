// A JSON schema's grammar, asked text by text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/grammar/pushdown.h"
#include "sampling/grammar/read_grammar.h"
#include "tests/support/errors.h"

namespace skald::schema_test {

class SchemaTexts {
 public:
  explicit SchemaTexts(std::string schema, JsonWhitespace whitespace = JsonWhitespace::kFlexible)
      : automaton_(PushdownProgram(
            read_grammar({.kind = GrammarParams::Kind::kJsonSchema, .text = std::move(schema), .whitespace = whitespace},
                         [this](std::string text) { warnings_.push_back(std::move(text)); }))) {}

  bool takes(std::string_view text) {
    GrammarState state = automaton_.start();
    for (const char c : text) state = automaton_.step(state, static_cast<uint8_t>(c));
    return automaton_.accepts(state);
  }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> warnings_;
  Pushdown automaton_;
};

/// The error that a schema is refused with.
inline std::string refusal_of(const std::string& schema) {
  return test::error_of([&] { SchemaTexts texts(schema); }).what();
}

}  // namespace skald::schema_test
