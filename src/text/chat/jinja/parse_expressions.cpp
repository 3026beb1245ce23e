#include <algorithm>

#include "text/chat/jinja/parser.h"
#include "text/chat/jinja/unicode.h"

namespace skald::jinja {

Expr* Parser::parse_expression(bool with_condition) {
  budget_.check_depth();
  return with_condition ? parse_condition() : parse_logic(false);
}

Expr* Parser::parse_condition() {
  budget_.check_depth();
  int line = current().line;
  Expr* yes = parse_logic(false);
  while (skip_name("if")) {
    Expr* test = parse_logic(false);
    Expr* no = skip_name("else") ? parse_condition() : nullptr;
    yes = tree_->make<ConditionNode>(line, test, yes, no);
    line = current().line;
  }
  return yes;
}

// "or", or the "and"s between.
Expr* Parser::parse_logic(bool is_and) {
  const int line = current().line;
  Expr* first = is_and ? parse_not() : parse_logic(true);
  LogicNode* node = nullptr;
  while (skip_name(is_and ? "and" : "or")) {
    if (!node) {
      node = tree_->make<LogicNode>(line, is_and);
      node->operands.push_back(first);
    }
    node->operands.push_back(is_and ? parse_not() : parse_logic(true));
  }
  return node ? node : first;
}

Expr* Parser::parse_not() {
  if (!current().is_name("not")) return parse_compare();
  budget_.check_depth();
  const int line = take().line;
  return tree_->make<UnaryNode>(line, '!', parse_not());
}

bool Parser::take_comparison(CompareNode::Op& op) {
  using Op = CompareNode::Op;
  static constexpr std::pair<std::string_view, Op> kSigns[] = {{"==", Op::kEqual},  {"!=", Op::kNotEqual},
                                                               {"<", Op::kLess},    {"<=", Op::kLessEqual},
                                                               {">", Op::kGreater}, {">=", Op::kGreaterEqual}};
  for (const auto& [sign, which] : kSigns) {
    if (!skip(sign)) continue;
    op = which;
    return true;
  }
  if (skip_name("in")) {
    op = Op::kIn;
    return true;
  }
  if (!current().is_name("not") || !next_token().is_name("in")) return false;
  take();
  take();
  op = Op::kNotIn;
  return true;
}

Expr* Parser::parse_compare() {
  const int line = current().line;
  Expr* first = parse_sum();
  CompareNode* node = nullptr;
  for (CompareNode::Op op{}; take_comparison(op);) {
    if (!node) {
      node = tree_->make<CompareNode>(line);
      node->first = first;
    }
    node->rest.emplace_back(op, parse_sum());
  }
  return node ? node : first;
}

Expr* Parser::parse_sum() {
  int line = current().line;
  Expr* left = parse_concat();
  while (current().is("+") || current().is("-")) {
    const Operator op = take().text == "+" ? Operator::kAdd : Operator::kSub;
    left = tree_->make<BinaryNode>(line, op, left, parse_concat());
    line = current().line;
  }
  return left;
}

Expr* Parser::parse_concat() {
  const int line = current().line;
  Expr* first = parse_product();
  ItemsNode* node = nullptr;
  while (skip("~")) {
    if (!node) {
      node = tree_->make<ItemsNode>(NodeKind::kConcat, line);
      node->items.push_back(first);
    }
    node->items.push_back(parse_product());
  }
  return node ? node : first;
}

Expr* Parser::parse_product() {
  static constexpr std::pair<std::string_view, Operator> kSigns[] = {
      {"*", Operator::kMul}, {"/", Operator::kDiv}, {"//", Operator::kFloorDiv}, {"%", Operator::kMod}};
  int line = current().line;
  Expr* left = parse_power();
  while (current().kind == TokenKind::kOperator) {
    const auto* sign =
        std::ranges::find(kSigns, std::string_view(current().text), &std::pair<std::string_view, Operator>::first);
    if (sign == std::end(kSigns)) break;
    take();
    left = tree_->make<BinaryNode>(line, sign->second, left, parse_power());
    line = current().line;
  }
  return left;
}

Expr* Parser::parse_power() {
  int line = current().line;
  Expr* left = parse_unary();
  while (skip("**")) {
    left = tree_->make<BinaryNode>(line, Operator::kPow, left, parse_unary());
    line = current().line;
  }
  return left;
}

Expr* Parser::parse_unary(bool with_filter) {
  budget_.check_depth();
  const int line = current().line;
  Expr* node = nullptr;
  if (skip("-"))
    node = tree_->make<UnaryNode>(line, '-', parse_unary(false));
  else if (skip("+"))
    node = tree_->make<UnaryNode>(line, '+', parse_unary(false));
  else
    node = parse_primary();
  node = parse_postfix(node);
  return with_filter ? parse_filter_chain(node) : node;
}

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
  fail(fmt::format("unexpected {}", quoted(describe(current()))));
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
  if (items.size() == 1) return tree_->make<ItemNode>(token.line, node, items[0]);
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

bool Parser::is_tuple_end() const {
  const TokenKind kind = current().kind;
  return kind == TokenKind::kVariableEnd || kind == TokenKind::kBlockEnd || current().is(")");
}

Expr* Parser::parse_tuple(bool simplified, bool with_condition, bool in_parentheses, bool with_namespace) {
  budget_.check_depth();
  int line = current().line;
  std::vector<Expr*> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) expect(",");
    if (is_tuple_end()) break;
    items.push_back(simplified ? parse_primary(with_namespace) : parse_expression(with_condition));
    if (!current().is(",")) break;
    is_tuple = true;
    line = current().line;
  }
  if (!is_tuple) {
    if (!items.empty()) return items[0];
    if (!in_parentheses) fail(fmt::format("Expected an expression, got {}", quoted(describe(current()))));
  }
  auto* node = tree_->make<ItemsNode>(NodeKind::kTuple, line);
  node->items = std::move(items);
  return node;
}

// Makes names of an expression ones that are set.
void Parser::make_target(Expr* node, NameNode::Use use) {
  budget_.check_depth();
  static constexpr const char* kTypes[] = {"const",   "templatedata", "name", "nsref",  "tuple",   "list",     "dict",
                                           "neg",     "add",          "and",  "concat", "compare", "condexpr", "getattr",
                                           "getitem", "slice",        "call", "filter", "test"};
  if (node->kind == NodeKind::kName) {
    static_cast<NameNode*>(node)->use = use;
  } else if (node->kind == NodeKind::kTuple) {
    for (Expr* item : static_cast<ItemsNode*>(node)->items) make_target(item, use);
  } else if (node->kind != NodeKind::kNamespaceRef) {
    fail(fmt::format("can't assign to '{}'", kTypes[static_cast<size_t>(node->kind)]), node->line);
  }
}

Expr* Parser::parse_target(bool with_namespace) {
  Expr* target = parse_tuple(true, true, false, with_namespace);
  make_target(target, NameNode::Use::kStore);
  return target;
}

NameNode* Parser::parse_target_name(NameNode::Use use) {
  const int line = current().line;
  const std::string name = expect_name();
  for (const char* word : {"true", "false", "none", "True", "False", "None"})
    if (name == word) fail("can't assign to 'name'", line);
  return tree_->make<NameNode>(line, name_place(name), use);
}

Expr* Parser::copied_target(const Expr* node) {
  budget_.check_depth();
  if (node->kind == NodeKind::kName) {
    const auto* name = static_cast<const NameNode*>(node);
    return tree_->make<NameNode>(name->line, name->name, name->use);
  }
  auto* out = tree_->make<ItemsNode>(NodeKind::kTuple, node->line);
  for (const Expr* item : static_cast<const ItemsNode*>(node)->items) out->items.push_back(copied_target(item));
  return out;
}

}  // namespace skald::jinja
