// Parser: a template's text as a tree.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/chat/jinja/parse/ast.h"
#include "text/chat/jinja/parse/token.h"
#include "text/chat/jinja/run/budget.h"
#include "text/chat/jinja/run/failure.h"

namespace skald::jinja {

/// Reads one template, with Jinja's own tags, {% break %}, {% continue %} and {% generation %}. Statements are read in
/// parse_statements.cpp, expressions in parse_expressions.cpp. Throws Failure (kSyntax) with the line.
class Parser {
 public:
  Parser(std::string_view source, Budget& budget);
  std::unique_ptr<Tree> run();

 private:
  using EndTags = std::vector<std::string_view>;

  const Token& current() const { return tokens_[at_]; }
  const Token& next_token() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take();
  bool skip(std::string_view op);
  bool skip_name(std::string_view name);
  void expect(std::string_view op);
  void expect(TokenKind kind);
  std::string expect_name();
  void expect_word(std::string_view name);
  [[noreturn]] void fail(std::string message, int line = 0, ErrorKind kind = ErrorKind::kSyntax) const;
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail_tag(const std::string* name, const EndTags* more, int line) const;
  int name_place(const std::string& name);

  // statements
  Body parse_until(const EndTags* ends);
  Body parse_body(const EndTags& ends, bool take_end);
  Node* parse_statement();
  Node* parse_tag(const std::string& tag);
  Node* parse_for();
  Node* parse_if();
  Node* parse_set();
  Node* parse_with();
  Node* parse_macro();
  Node* parse_call_block();
  Node* parse_generation();
  Node* parse_filter_block();
  Node* parse_block();
  Node* parse_autoescape();
  Node* parse_print();
  Node* parse_include(const std::string& tag);
  void parse_import_names(IncludeNode& node);
  void parse_import_context();
  void parse_parameters(MacroNode& node);

  // expressions
  Expr* parse_expression(bool with_condition = true);
  Expr* parse_condition();
  Expr* parse_logic(bool is_and);
  Expr* parse_not();
  Expr* parse_compare();
  bool take_comparison(CompareNode::Op& op);
  Expr* parse_sum();
  Expr* parse_concat();
  Expr* parse_product();
  Expr* parse_power();
  Expr* parse_unary(bool with_filter = true);
  Expr* parse_primary(bool with_namespace = false);
  Expr* parse_name(bool with_namespace);
  Expr* parse_string();
  Expr* parse_list();
  Expr* parse_dict();
  Expr* parse_postfix(Expr* node);
  Expr* parse_filter_chain(Expr* node);
  Expr* parse_subscript(Expr* node);
  Expr* parse_subscribed();
  Expr* parse_call(Expr* node);
  Signature parse_arguments();
  Expr* parse_filter(Expr* node, bool start_inline = false);
  Expr* parse_test(Expr* node);
  Expr* parse_tuple(bool simplified = false, bool with_condition = true, bool in_parentheses = false,
                    bool with_namespace = false);
  bool is_tuple_end() const;
  Expr* parse_target(bool with_namespace = false);
  NameNode* parse_target_name(NameNode::Use use);
  void make_target(Expr* node, NameNode::Use use);
  Expr* copied_target(const Expr* node);

  Budget& budget_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  std::unique_ptr<Tree> tree_;
  std::unordered_map<std::string, int> names_;
  std::vector<EndTags> end_tags_;
  std::vector<std::string> open_tags_;
};

}  // namespace skald::jinja
