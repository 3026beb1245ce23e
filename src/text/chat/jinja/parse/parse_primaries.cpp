// Names, literals, and brackets.
#include "text/chat/jinja/parse/parser.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Expr* Parser::parse_name(bool with_namespace) {
  const Token token = take();
  const auto constant = [&](ConstNode::Type type) {
    auto* node = tree_->make<ConstNode>(token.line, type);
    node->boolean = token.text == "true" || token.text == "True";
    return node;
  };
  if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False")
    return constant(ConstNode::Type::kBool);
  if (token.text == "none" || token.text == "None") return constant(ConstNode::Type::kNone);
  const int name = name_place(token.text);
  if (with_namespace && skip(".")) return tree_->make<NamespaceRefNode>(token.line, name, expect_name());
  return tree_->make<NameNode>(token.line, name, NameNode::Use::kLoad);
}

Expr* Parser::parse_string() {
  auto* node = tree_->make<ConstNode>(current().line, ConstNode::Type::kText);
  node->place = static_cast<int>(tree_->constants.size());
  tree_->constants.push_back(node);
  while (current().kind == TokenKind::kString) node->text += take().text;
  return node;
}

Expr* Parser::parse_primary(bool with_namespace) {
  switch (current().kind) {
    case TokenKind::kName:
      return parse_name(with_namespace);
    case TokenKind::kString:
      return parse_string();
    case TokenKind::kInteger:
    case TokenKind::kFloat: {
      const Token token = take();
      const bool real = token.kind == TokenKind::kFloat;
      auto* node = tree_->make<ConstNode>(token.line, real ? ConstNode::Type::kFloat : ConstNode::Type::kInteger);
      node->text = token.text;
      node->base = token.base;
      node->real = token.real;
      node->place = static_cast<int>(tree_->constants.size());
      tree_->constants.push_back(node);
      return node;
    }
    default:
      break;
  }
  if (skip("(")) {
    Expr* node = parse_tuple(false, true, true);
    expect(")");
    return node;
  }
  if (current().is("[")) return parse_list();
  if (current().is("{")) return parse_dict();
  fail(fmt::format("unexpected {}", in_quotes(describe(current()))));
}

Expr* Parser::parse_list() {
  auto* node = tree_->make<ItemsNode>(NodeKind::kList, take().line);
  while (!current().is("]")) {
    if (!node->items.empty()) expect(",");
    if (current().is("]")) break;
    node->items.push_back(parse_expression());
  }
  expect("]");
  return node;
}

Expr* Parser::parse_dict() {
  auto* node = tree_->make<DictNode>(take().line);
  while (!current().is("}")) {
    if (!node->items.empty()) expect(",");
    if (current().is("}")) break;
    Expr* key = parse_expression();
    expect(":");
    node->items.emplace_back(key, parse_expression());
  }
  expect("}");
  return node;
}

}  // namespace skald::jinja
