#include <algorithm>

#include "text/chat/jinja/parse/parser.h"
#include "text/chat/jinja/values/walk.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

void fold(Expr& node, Budget& budget) {
  budget.check_depth();
  if (node.kind == NodeKind::kItem) static_cast<ItemNode&>(node).folded = true;
  walk_expression(node, [&](Expr& child) { fold(child, budget); });
}

}  // namespace

// Statements up to one of `ends`, whose name is the current token then; up to the template's end without.
Body Parser::parse_until(const EndTags* ends) {
  budget_.check_depth();
  Body body;
  OutputNode* output = nullptr;
  const auto put_out = [&](Expr* part) {
    if (!output) body.push_back(output = tree_->make<OutputNode>(part->line));
    output->parts.push_back(part);
  };
  if (ends) end_tags_.push_back(*ends);
  while (current().kind != TokenKind::kEnd) {
    if (current().kind == TokenKind::kData) {
      auto* data = tree_->make<DataNode>(current().line);
      data->text = take().text;
      put_out(data);
    } else if (current().kind == TokenKind::kVariableBegin) {
      take();
      Expr* const part = parse_tuple();
      if (is_constant(*part, budget_)) fold(*part, budget_);
      put_out(part);
      expect(TokenKind::kVariableEnd);
    } else {
      output = nullptr;
      take();
      const bool ended =
          ends && current().kind == TokenKind::kName && std::ranges::find(*ends, current().text) != ends->end();
      if (ended) break;
      body.push_back(parse_statement());
      expect(TokenKind::kBlockEnd);
    }
  }
  if (ends) end_tags_.pop_back();
  return body;
}

Body Parser::parse_body(const EndTags& ends, bool take_end) {
  skip(":");
  expect(TokenKind::kBlockEnd);
  Body body = parse_until(&ends);
  if (current().kind == TokenKind::kEnd) fail_tag(nullptr, &ends, 0);
  if (take_end) take();
  return body;
}

Node* Parser::parse_statement() {
  const Token& token = current();
  if (token.kind != TokenKind::kName) fail("tag name expected", token.line);
  const std::string tag = token.text;
  open_tags_.push_back(tag);
  Node* node = parse_tag(tag);
  open_tags_.pop_back();
  return node;
}

Node* Parser::parse_tag(const std::string& tag) {
  if (tag == "for") return parse_for();
  if (tag == "if") return parse_if();
  if (tag == "set") return parse_set();
  if (tag == "with") return parse_with();
  if (tag == "macro") return parse_macro();
  if (tag == "call") return parse_call_block();
  if (tag == "generation") return parse_generation();
  if (tag == "filter") return parse_filter_block();
  if (tag == "block") return parse_block();
  if (tag == "autoescape") return parse_autoescape();
  if (tag == "print") return parse_print();
  if (tag == "break") return tree_->make<JumpNode>(NodeKind::kBreak, take().line);
  if (tag == "continue") return tree_->make<JumpNode>(NodeKind::kContinue, take().line);
  if (tag == "include" || tag == "import" || tag == "from" || tag == "extends") return parse_include(tag);
  open_tags_.pop_back();
  fail_tag(&tag, nullptr, current().line);
}

Node* Parser::parse_for() {
  auto* node = tree_->make<ForNode>(take().line);
  node->target = parse_target();
  expect_word("in");
  node->iterable = parse_tuple(false, false);
  if (skip_name("if")) {
    node->test = parse_expression();
    node->test_target = copied_target(node->target);
  }
  node->recursive = skip_name("recursive");
  node->body = parse_body({"endfor", "else"}, false);
  if (take().text != "endfor") node->otherwise = parse_body({"endfor"}, true);
  return node;
}

Node* Parser::parse_if() {
  auto* node = tree_->make<IfNode>(take().line);
  while (true) {
    Expr* test = parse_tuple(false, false);
    node->branches.emplace_back(test, parse_body({"elif", "else", "endif"}, false));
    const std::string tag = take().text;
    if (tag == "elif") continue;
    if (tag == "else") node->otherwise = parse_body({"endif"}, true);
    return node;
  }
}

Node* Parser::parse_set() {
  const int line = take().line;
  Expr* target = parse_target(true);
  if (skip("=")) {
    auto* node = tree_->make<SetNode>(line);
    node->target = target;
    node->value = parse_tuple();
    return node;
  }
  auto* node = tree_->make<SetBlockNode>(line);
  node->target = target;
  if (current().is("|")) node->filter = static_cast<FilterNode*>(parse_filter(nullptr));
  node->body = parse_body({"endset"}, true);
  return node;
}

Node* Parser::parse_with() {
  auto* node = tree_->make<WithNode>(take().line);
  while (current().kind != TokenKind::kBlockEnd) {
    if (!node->values.empty()) expect(",");
    Expr* target = parse_target();
    make_target(target, NameNode::Use::kParam);
    expect("=");
    node->values.emplace_back(target, parse_expression());
  }
  node->body = parse_body({"endwith"}, true);
  return node;
}

void Parser::parse_parameters(MacroNode& node) {
  expect("(");
  while (!current().is(")")) {
    if (!node.parameters.empty()) expect(",");
    NameNode* parameter = parse_target_name(NameNode::Use::kParam);
    if (skip("="))
      node.defaults.push_back(parse_expression());
    else if (!node.defaults.empty())
      fail("non-default argument follows default argument");
    node.parameters.push_back(parameter);
  }
  expect(")");
}

Node* Parser::parse_macro() {
  auto* node = tree_->make<MacroNode>(take().line);
  const NameNode* name = parse_target_name(NameNode::Use::kStore);
  node->name = name->name;
  node->title = tree_->names[static_cast<size_t>(name->name)];
  parse_parameters(*node);
  node->body = parse_body({"endmacro"}, true);
  return node;
}

Node* Parser::parse_call_block() {
  auto* node = tree_->make<CallBlockNode>(take().line);
  node->macro = tree_->make<MacroNode>(node->line);
  if (current().is("(")) parse_parameters(*node->macro);
  Expr* call = parse_expression();
  if (call->kind != NodeKind::kCall) fail("expected call", node->line);
  node->call = static_cast<CallNode*>(call);
  node->macro->body = parse_body({"endcall"}, true);
  return node;
}

// transformers' tag for the model's own text: a call block around a function that puts its body out.
Node* Parser::parse_generation() {
  auto* node = tree_->make<CallBlockNode>(take().line);
  node->macro = tree_->make<MacroNode>(node->line);
  node->macro->body = parse_body({"endgeneration"}, true);
  return node;
}

Node* Parser::parse_filter_block() {
  auto* node = tree_->make<FilterBlockNode>(take().line);
  node->filter = static_cast<FilterNode*>(parse_filter(nullptr, true));
  node->body = parse_body({"endfilter"}, true);
  return node;
}

Node* Parser::parse_block() {
  auto* node = tree_->make<BlockNode>(take().line);
  node->name = expect_name();
  node->scoped = skip_name("scoped");
  node->required = skip_name("required");
  if (current().is("-"))
    fail("Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.");
  node->body = parse_body({"endblock"}, true);
  const auto is_blank = [](const Node* part) {
    if (part->kind != NodeKind::kData) return false;
    const std::string& text = static_cast<const DataNode*>(part)->text;
    for (size_t at = 0; at < text.size();)
      if (!is_space(next_char(text, at))) return false;
    return true;
  };
  for (const Node* part : node->body) {
    const bool blank =
        part->kind == NodeKind::kOutput && std::ranges::all_of(static_cast<const OutputNode*>(part)->parts, is_blank);
    if (node->required && !blank) fail("Required blocks can only contain comments or whitespace");
  }
  skip_name(node->name);
  if (std::ranges::any_of(tree_->blocks, [node](const BlockNode* other) { return other->name == node->name; }))
    fail(fmt::format("block {} defined twice", in_quotes(node->name)), node->line, ErrorKind::kAssertion);
  budget_.spend(static_cast<int64_t>(tree_->blocks.size()));
  tree_->blocks.push_back(node);
  return node;
}

Node* Parser::parse_autoescape() {
  auto* node = tree_->make<AutoescapeNode>(take().line);
  node->enabled = parse_expression();
  node->body = parse_body({"endautoescape"}, true);
  return node;
}

Node* Parser::parse_print() {
  auto* node = tree_->make<OutputNode>(take().line);
  while (current().kind != TokenKind::kBlockEnd) {
    if (!node->parts.empty()) expect(",");
    node->parts.push_back(parse_expression());
  }
  return node;
}

void Parser::parse_import_context() {
  if (!(current().is_name("with") || current().is_name("without")) || !next_token().is_name("context")) return;
  take();
  take();
}

void Parser::parse_import_names(IncludeNode& node) {
  bool first = true;
  while (true) {
    if (!first) expect(",");
    first = false;
    if (current().kind != TokenKind::kName) expect_name();
    if ((current().is_name("with") || current().is_name("without")) && next_token().is_name("context")) break;
    const NameNode* name = parse_target_name(NameNode::Use::kStore);
    if (tree_->names[static_cast<size_t>(name->name)].starts_with("_"))
      fail("names starting with an underline can not be imported", name->line, ErrorKind::kAssertion);
    if (skip_name("as")) name = parse_target_name(NameNode::Use::kStore);
    node.names.push_back(name->name);
    if (!current().is(",")) break;
  }
  parse_import_context();
}

// They are read as Jinja reads them, and fail when they are reached.
Node* Parser::parse_include(const std::string& tag) {
  auto* node = tree_->make<IncludeNode>(take().line);
  node->source = parse_expression();
  if (tag == "include") {
    if (current().is_name("ignore") && next_token().is_name("missing")) {
      take();
      take();
    }
    parse_import_context();
  } else if (tag == "import") {
    expect_word("as");
    node->names.push_back(parse_target_name(NameNode::Use::kStore)->name);
    parse_import_context();
  } else if (tag == "from") {
    expect_word("import");
    parse_import_names(*node);
  }
  return node;
}

}  // namespace skald::jinja
