#include <algorithm>

#include "text/chat/jinja/parse/parser.h"
#include "text/chat/jinja/words/unicode.h"

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
    if (!in_parentheses) fail(fmt::format("Expected an expression, got {}", in_quotes(describe(current()))));
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
