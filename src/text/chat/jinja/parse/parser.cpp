#include "text/chat/jinja/parse/parser.h"

#include <algorithm>

#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Parser::Parser(std::string_view source, Budget& budget)
    : budget_(budget), tokens_(tokenize(source, budget)), tree_(std::make_unique<Tree>()) {}

std::unique_ptr<Tree> Parser::run() {
  tree_->body = parse_until(nullptr);
  return std::move(tree_);
}

Token Parser::take() {
  Token out = std::move(tokens_[at_]);
  tokens_[at_].kind = out.kind;
  tokens_[at_].line = out.line;
  if (at_ + 1 < tokens_.size()) ++at_;
  budget_.step();
  return out;
}

bool Parser::skip(std::string_view op) {
  if (!current().is(op)) return false;
  take();
  return true;
}

bool Parser::skip_name(std::string_view name) {
  if (!current().is_name(name)) return false;
  take();
  return true;
}

void Parser::expect(std::string_view op) {
  if (!skip(op)) fail_expected(op);
}

void Parser::expect(TokenKind kind) {
  if (current().kind != kind) fail_expected(describe(kind));
  take();
}

std::string Parser::expect_name() {
  if (current().kind != TokenKind::kName) fail_expected("name");
  return take().text;
}

void Parser::expect_word(std::string_view name) {
  if (!skip_name(name)) fail_expected(name);
}

void Parser::fail(std::string message, int line, ErrorKind kind) const {
  throw Failure(kind, std::move(message), line ? line : current().line);
}

void Parser::fail_expected(std::string_view what) const {
  if (current().kind == TokenKind::kEnd) fail(fmt::format("unexpected end of template, expected '{}'.", what));
  fail(fmt::format("expected token '{}', got {}", what, in_quotes(describe(current()))));
}

// As Jinja words it; `name`: the unknown tag, or null at the template's end.
void Parser::fail_tag(const std::string* name, const EndTags* more, int line) const {
  std::string message =
      name ? fmt::format("Encountered unknown tag {}.", in_quotes(name->substr(0, 100))) : "Unexpected end of template.";
  std::vector<EndTags> stack = end_tags_;
  if (more) stack.push_back(*more);
  if (!stack.empty()) {
    std::string looking;
    for (const std::string_view tag : stack.back()) looking += fmt::format("{}'{}'", looking.empty() ? "" : " or ", tag);
    const bool expected = name && std::ranges::any_of(stack, [&](const EndTags& tags) {
                            return std::ranges::find(tags, *name) != tags.end();
                          });
    message +=
        expected
            ? fmt::format(" You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for {}.",
                          looking)
            : fmt::format(" Jinja was looking for the following tags: {}.", looking);
  }
  if (!open_tags_.empty())
    message += fmt::format(" The innermost block that needs to be closed is {}.", in_quotes(open_tags_.back()));
  fail(std::move(message), line);
}

int Parser::name_place(const std::string& name) {
  const auto [it, added] = names_.try_emplace(name, static_cast<int>(tree_->names.size()));
  if (added) tree_->names.push_back(name);
  return it->second;
}

}  // namespace skald::jinja
