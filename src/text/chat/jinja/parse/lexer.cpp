#include <algorithm>
#include <cstdlib>

#include "text/chat/jinja/parse/number_literal.h"
#include "text/chat/jinja/parse/string_literal.h"
#include "text/chat/jinja/parse/token.h"
#include "text/chat/jinja/run/failure.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

// \r\n and \r become \n, and one at the end goes, as Jinja does before it looks at anything.
std::string normalized(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  Lexer(std::string_view source, Budget& budget) : text_(source), budget_(budget) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) root();
    add(TokenKind::kEnd, text_.size());
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(size_t at, std::string message) {
    throw Failure(ErrorKind::kSyntax, std::move(message), line_at(at));
  }

  // Places come in rising order but for errors.
  int line_at(size_t at) {
    if (at < counted_) {
      counted_ = 0;
      line_ = 1;
    }
    line_ += static_cast<int>(
        std::count(text_.begin() + static_cast<ptrdiff_t>(counted_), text_.begin() + static_cast<ptrdiff_t>(at), '\n'));
    counted_ = at;
    return line_;
  }

  Token& add(TokenKind kind, size_t at) {
    budget_.step();
    Token& token = out_.emplace_back();
    token.kind = kind;
    token.line = line_at(at);
    return token;
  }

  bool has(std::string_view word, size_t at) const { return text_.substr(at, word.size()) == word; }

  size_t skip_blanks(size_t at) const {
    while (at < text_.size()) {
      size_t next = at;
      if (!is_space(next_char(text_, next))) break;
      at = next;
    }
    return at;
  }

  // After an end like "%}": "-%}" takes the blanks that follow, "%}" the line's end.
  size_t after_end(size_t at, bool minus, bool trims) const {
    if (minus) return skip_blanks(at);
    return trims && at < text_.size() && text_[at] == '\n' ? at + 1 : at;
  }

  // The text [begin, end) before a tag with this sign.
  void add_data(size_t begin, size_t end, char sign, bool lstrips) {
    std::string_view data = text_.substr(begin, end - begin);
    if (sign == '-') {
      while (!data.empty()) {
        size_t at = data.size();
        if (!is_space(previous_char(data, at))) break;
        data = data.substr(0, at);
      }
    } else if (sign != '+' && lstrips) {
      const size_t line = data.rfind('\n') + 1;  // 0 where there is none
      if (line > 0 || begin == 0 || text_[begin - 1] == '\n') {
        size_t at = line;
        while (at < data.size() && is_space(next_char(data, at))) {
          if (at == data.size()) data = data.substr(0, line);
        }
      }
    }
    budget_.spend_bytes(end - begin);
    if (!data.empty()) add(TokenKind::kData, begin).text = data;
  }

  char sign_at(size_t at) const { return at < text_.size() && (text_[at] == '-' || text_[at] == '+') ? text_[at] : '\0'; }

  void root() {
    const size_t begin = at_;
    size_t tag = begin;
    while (true) {
      tag = text_.find('{', tag);
      if (tag == std::string_view::npos || tag + 1 >= text_.size()) {
        add_data(begin, text_.size(), '+', false);
        at_ = text_.size();
        return;
      }
      if (text_[tag + 1] == '{' || text_[tag + 1] == '%' || text_[tag + 1] == '#') break;
      ++tag;
    }
    const char kind = text_[tag + 1];
    const char sign = sign_at(tag + 2);
    add_data(begin, tag, sign, kind != '{');
    at_ = tag + 2 + (sign ? 1 : 0);
    if (kind == '{') return expression(tag, TokenKind::kVariableBegin, TokenKind::kVariableEnd, "}}");
    if (kind == '#') return comment(tag);
    if (!raw(tag)) expression(tag, TokenKind::kBlockBegin, TokenKind::kBlockEnd, "%}");
  }

  void comment(size_t tag) {
    size_t end = text_.find("#}", at_);
    if (end == std::string_view::npos) {
      if (at_ < text_.size()) fail(tag, "Missing end of comment tag");
      return;  // as Jinja has it
    }
    const char before = end > at_ ? text_[end - 1] : '\0';
    at_ = after_end(end + 2, before == '-', before != '+');
  }

  // {% raw %}...{% endraw %}; false where the tag is another one.
  bool raw(size_t tag) {
    size_t at = skip_blanks(at_);
    if (!has("raw", at)) return false;
    at = skip_blanks(at + 3);
    const bool minus = has("-%}", at);
    if (!minus && !has("%}", at)) return false;
    const size_t begin = minus ? skip_blanks(at + 3) : at + 2;
    for (size_t end = text_.find("{%", begin); end != std::string_view::npos; end = text_.find("{%", end + 1)) {
      budget_.step();
      const char sign = sign_at(end + 2);
      size_t to = skip_blanks(end + 2 + (sign ? 1 : 0));
      budget_.spend_bytes(to - end);
      if (!has("endraw", to)) continue;
      to = skip_blanks(to + 6);
      const char last = has("-%}", to) ? '-' : has("+%}", to) ? '+' : '\0';
      if (!last && !has("%}", to)) continue;
      add_data(begin, end, sign, true);
      at_ = after_end(to + (last ? 3 : 2), last == '-', last != '+');
      return true;
    }
    if (begin < text_.size()) fail(tag, "Missing end of raw directive");
    at_ = text_.size();
    return true;
  }

  void expression(size_t tag, TokenKind begin, TokenKind end, std::string_view closing) {
    add(begin, tag);
    std::vector<char> open;
    while (true) {
      at_ = skip_blanks(at_);
      if (at_ >= text_.size()) return;  // the parser says what is missing
      const char sign = sign_at(at_);
      if (open.empty() && sign && has(closing, at_ + 1) && (sign == '-' || end == TokenKind::kBlockEnd)) {
        add(end, at_);
        at_ = after_end(at_ + 3, sign == '-', false);
        return;
      }
      if (open.empty() && has(closing, at_)) {
        add(end, at_);
        at_ = after_end(at_ + 2, false, end == TokenKind::kBlockEnd);
        return;
      }
      token(open);
    }
  }

  void token(std::vector<char>& open) {
    const char c = text_[at_];
    if (is_digit_char(c)) return number();
    if (c == '"' || c == '\'') return string(c);
    size_t next = at_;
    const char32_t first = next_char(text_, next);
    if (c == '_' || is_alnum(first) || (first >= 0x80 && is_identifier(text_.substr(at_, next - at_)))) return name();
    operation(open);
  }

  void name() {
    const size_t begin = at_;
    while (at_ < text_.size()) {
      size_t next = at_;
      const char32_t c = next_char(text_, next);
      const bool plain =
          c < 0x80 ? c == '_' || is_alnum(c) : is_identifier("_" + std::string(text_.substr(at_, next - at_)));
      if (!plain && !is_alnum(c)) break;
      at_ = next;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    budget_.spend_bytes(word.size());
    if (!is_identifier(word)) fail(begin, "Invalid character in identifier");
    add(TokenKind::kName, begin).text = word;
  }

  void number() {
    const size_t begin = at_;
    const NumberText found = read_number(text_, at_);
    budget_.spend_bytes(found.text.size());
    if (!found.is_float && found.base == 10 && found.text.size() > 4300)
      fail(begin, "Exceeds the limit (4300 digits) for integer string conversion");
    Token& token = add(found.is_float ? TokenKind::kFloat : TokenKind::kInteger, begin);
    if (found.is_float)
      token.real = std::strtod(found.text.c_str(), nullptr);
    else
      token.text = found.text;
    token.base = found.base;
    at_ = found.end;
  }

  void string(char quote) {
    const size_t begin = at_;
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) fail(begin, fmt::format("unexpected char {} at {}", in_quotes(std::string(1, quote)), begin));
    budget_.spend_bytes(end - begin);
    try {
      add(TokenKind::kString, begin).text = unescaped(text_.substr(begin + 1, end - begin - 1));
    } catch (Failure& failure) {
      fail(begin, failure.message());
    }
    at_ = end + 1;
  }

  void operation(std::vector<char>& open) {
    static constexpr std::string_view kTwo[] = {"//", "**", "==", "!=", ">=", "<="};
    static constexpr std::string_view kOne = "+-/*%~[](){}><=.:|,;";
    const size_t begin = at_;
    std::string_view op = text_.substr(at_, 2);
    if (std::ranges::find(kTwo, op) == std::end(kTwo)) op = text_.substr(at_, 1);
    if (op.size() == 1 && kOne.find(op[0]) == std::string_view::npos) {
      size_t end = at_;
      next_char(text_, end);
      fail(begin, fmt::format("unexpected char {} at {}", in_quotes(text_.substr(at_, end - at_)),
                              count_chars(text_.substr(0, at_))));
    }
    balance(open, op[0], begin);
    add(TokenKind::kOperator, begin).text = op;
    at_ += op.size();
  }

  void balance(std::vector<char>& open, char c, size_t at) {
    if (c == '(') open.push_back(')');
    if (c == '[') open.push_back(']');
    if (c == '{') open.push_back('}');
    if (c != ')' && c != ']' && c != '}') return;
    if (open.empty()) fail(at, fmt::format("unexpected '{}'", c));
    const char wanted = open.back();
    open.pop_back();
    if (wanted != c) fail(at, fmt::format("unexpected '{}', expected '{}'", c, wanted));
  }

  std::string_view text_;
  Budget& budget_;
  size_t at_ = 0, counted_ = 0;
  int line_ = 1;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source, Budget& budget) {
  const std::string text = normalized(source);
  budget.spend_bytes(source.size());
  return Lexer(text, budget).run();
}

}  // namespace skald::jinja
