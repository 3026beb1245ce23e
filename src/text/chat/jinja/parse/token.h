// Tokens of a template.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/chat/jinja/run/budget.h"
#include "text/chat/jinja/values/integer.h"

namespace skald::jinja {

enum class TokenKind : uint8_t {
  kData,
  kVariableBegin,
  kVariableEnd,
  kBlockBegin,
  kBlockEnd,
  kName,
  kString,
  kInteger,
  kFloat,
  kOperator,  // its text says which
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  int line = 1;
  std::string text;  // of data, names, strings (without quotes and escapes), operators, and of an integer its digits
  int base = 10;     // of an integer
  double real = 0;   // of a float

  bool is(std::string_view op) const { return kind == TokenKind::kOperator && text == op; }
  bool is_name(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

/// Jinja's words for a token in messages: "end of print statement".
std::string describe(const Token& token);
std::string describe(TokenKind kind);

/// Returns the tokens of a template as Jinja reads it with trim_blocks and lstrip_blocks, kEnd last. Throws Failure
/// (kSyntax) with the line.
std::vector<Token> tokenize(std::string_view source, Budget& budget);

}  // namespace skald::jinja
