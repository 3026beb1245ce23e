// Postfixes of an operand: attributes, subscripts, calls, filters and tests.
#include <algorithm>

#include "text/chat/jinja/parse/parser.h"
#include "text/chat/jinja/values/walk.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Expr* Parser::parse_postfix(Expr* node) {
  while (true) {
    if (current().is(".") || current().is("["))
      node = parse_subscript(node);
    else if (current().is("("))
      node = parse_call(node);
    else
      return node;
  }
}

Expr* Parser::parse_filter_chain(Expr* node) {
  while (true) {
    if (current().is("|"))
      node = parse_filter(node);
    else if (current().is_name("is"))
      node = parse_test(node);
    else if (current().is("("))
      node = parse_call(node);
    else
      return node;
  }
}

Expr* Parser::parse_subscript(Expr* node) {
  const Token token = take();
  if (token.is(".")) {
    const Token name = take();
    if (name.kind == TokenKind::kName) return tree_->make<AttributeNode>(token.line, node, name.text);
    if (name.kind != TokenKind::kInteger) fail("expected name or number", name.line);
    auto* index = tree_->make<ConstNode>(name.line, ConstNode::Type::kInteger);
    index->text = name.text;
    index->base = name.base;
    index->place = static_cast<int>(tree_->constants.size());
    tree_->constants.push_back(index);
    return tree_->make<ItemNode>(token.line, node, index);
  }
  std::vector<Expr*> items;
  while (!current().is("]")) {
    if (!items.empty()) expect(",");
    items.push_back(parse_subscribed());
  }
  expect("]");
  if (items.size() == 1) {
    auto* item = tree_->make<ItemNode>(token.line, node, items[0]);
    item->constant = is_constant(*node, budget_) && is_constant(*items[0], budget_);
    return item;
  }
  if (std::ranges::any_of(items, [](const Expr* item) { return item->kind == NodeKind::kSlice; }))
    fail("invalid syntax: a slice among several subscripts", token.line);
  auto* tuple = tree_->make<ItemsNode>(NodeKind::kTuple, token.line);
  tuple->items = std::move(items);
  return tree_->make<ItemNode>(token.line, node, tuple);
}

Expr* Parser::parse_subscribed() {
  const int line = current().line;
  Expr* start = nullptr;
  if (!current().is(":")) {
    start = parse_expression();
    if (!current().is(":")) return start;
  }
  take();
  auto* node = tree_->make<SliceNode>(line);
  node->start = start;
  const auto ends = [this] { return current().is("]") || current().is(","); };
  if (!current().is(":") && !ends()) node->stop = parse_expression();
  if (skip(":") && !ends()) node->step = parse_expression();
  return node;
}

Signature Parser::parse_arguments() {
  const int line = take().line;
  Signature out;
  bool comma = false;
  const auto ensure = [&](bool holds) {
    if (!holds) fail("invalid syntax for function call expression", line);
  };
  while (!current().is(")")) {
    if (comma) {
      expect(",");
      if (current().is(")")) break;
    }
    if (current().is("*")) {
      ensure(!out.more_positional && !out.more_named);
      take();
      out.more_positional = parse_expression();
    } else if (current().is("**")) {
      ensure(!out.more_named);
      take();
      out.more_named = parse_expression();
    } else if (current().kind == TokenKind::kName && next_token().is("=")) {
      ensure(!out.more_named);
      std::string name = take().text;
      take();
      const bool twice = std::ranges::any_of(out.named, [&](const auto& other) { return other.first == name; });
      if (twice) fail(fmt::format("keyword argument repeated: {}", name), line);
      budget_.spend(static_cast<int64_t>(out.named.size()));
      out.named.emplace_back(std::move(name), parse_expression());
    } else {
      ensure(!out.more_positional && !out.more_named && out.named.empty());
      out.positional.push_back(parse_expression());
    }
    comma = true;
  }
  expect(")");
  return out;
}

Expr* Parser::parse_call(Expr* node) {
  auto* call = tree_->make<CallNode>(current().line, node);
  call->arguments = parse_arguments();
  return call;
}

Expr* Parser::parse_filter(Expr* node, bool start_inline) {
  while (current().is("|") || start_inline) {
    if (!start_inline) take();
    start_inline = false;
    const int line = current().line;
    std::string name = expect_name();
    while (skip(".")) name += "." + expect_name();
    auto* filter = tree_->make<FilterNode>(NodeKind::kFilter, line, node, std::move(name));
    if (current().is("(")) filter->arguments = parse_arguments();
    node = filter;
  }
  return node;
}

Expr* Parser::parse_test(Expr* node) {
  const int line = take().line;
  const bool negated = skip_name("not");
  std::string name = expect_name();
  while (skip(".")) name += "." + expect_name();
  auto* test = tree_->make<FilterNode>(NodeKind::kTest, line, node, std::move(name));
  const Token& token = current();
  const bool is_word = token.is_name("else") || token.is_name("or") || token.is_name("and");
  const bool is_operand = token.kind == TokenKind::kName || token.kind == TokenKind::kString ||
                          token.kind == TokenKind::kInteger || token.kind == TokenKind::kFloat || token.is("[") ||
                          token.is("{");
  if (token.is("(")) {
    test->arguments = parse_arguments();
  } else if (is_operand && !is_word) {
    if (token.is_name("is")) fail("You cannot chain multiple tests with is");
    test->arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  return negated ? static_cast<Expr*>(tree_->make<UnaryNode>(line, '!', test)) : test;
}

}  // namespace skald::jinja
