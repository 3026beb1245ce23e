#include "text/chat/jinja/parse/token.h"

namespace skald::jinja {

std::string describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::kData:
      return "template data / text";
    case TokenKind::kVariableBegin:
      return "begin of print statement";
    case TokenKind::kVariableEnd:
      return "end of print statement";
    case TokenKind::kBlockBegin:
      return "begin of statement block";
    case TokenKind::kBlockEnd:
      return "end of statement block";
    case TokenKind::kName:
      return "name";
    case TokenKind::kString:
      return "string";
    case TokenKind::kInteger:
      return "integer";
    case TokenKind::kFloat:
      return "float";
    case TokenKind::kOperator:
      return "operator";
    case TokenKind::kEnd:
      return "end of template";
  }
  return "token";
}

std::string describe(const Token& token) {
  constexpr size_t kLongest = 100;
  if (token.kind == TokenKind::kName || token.kind == TokenKind::kOperator) return token.text.substr(0, kLongest);
  return describe(token.kind);
}

}  // namespace skald::jinja
