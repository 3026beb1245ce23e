#include "cli/terminal/markdown.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace skald {
namespace {

constexpr std::string_view kReset = "\x1b[0m", kBold = "\x1b[1m", kItalic = "\x1b[3m", kCode = "\x1b[36m";
constexpr size_t kLongestSpan = 500;  // bytes: a mark whose partner is farther away is text

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }
bool is_word(char c) { return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)); }
bool is_mark(char c) { return c == '*' || c == '_' || c == '`' || c == '\\'; }

size_t run_at(std::string_view text, size_t at) { return std::min(text.find_first_not_of(text[at], at), text.size()) - at; }

std::optional<size_t> find_code_end(std::string_view text, size_t at, size_t marks) {
  for (size_t i = text.find('`', at + marks); i != std::string_view::npos; i = text.find('`', i)) {
    const size_t run = run_at(text, i);
    if (run == marks) return i;
    i += run;
  }
  return {};
}

// Emphasis ends after a character that is no blank; one of _ not within a word.
std::optional<size_t> find_emphasis_end(std::string_view text, size_t at, size_t marks) {
  const char c = text[at];
  for (size_t i = text.find(c, at + marks + 1); i != std::string_view::npos; i = text.find(c, i)) {
    const size_t run = run_at(text, i);
    const bool within_word = c == '_' && i + run < text.size() && is_word(text[i + run]);
    if (run == marks && !is_blank(text[i - 1]) && text[i - 1] != '\\' && !within_word) return i;
    i += run;
  }
  return {};
}

// Whether emphasis can begin here: in front of a character that is no blank; of _ not within a word.
bool opens(std::string_view text, size_t at, size_t marks, char before) {
  if (marks > 3 || at + marks >= text.size() || is_blank(text[at + marks])) return false;
  return text[at] != '_' || !is_word(before);
}

// Appends prose with its spans rendered.
class Spans {
 public:
  Spans(std::string_view text, bool whole, std::string style, std::string& out)
      : text_(text), whole_(whole), style_(std::move(style)), out_(out) {}

  /// Appends the text up to the first mark whose partner may still come, of a whole text all of it. Returns its bytes.
  size_t render() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!is_mark(c))
        take(1);
      else if (!(c == '\\' ? take_escape() : take_span()))
        break;
    }
    return at_;
  }

 private:
  void take(size_t bytes) {
    out_ += text_.substr(at_, bytes);
    at_ += bytes;
  }
  bool may_go_on() const { return !whole_ && text_.size() - at_ < kLongestSpan; }

  bool take_escape() {
    if (at_ + 1 == text_.size() && may_go_on()) return false;
    if (at_ + 1 < text_.size() && is_mark(text_[at_ + 1])) ++at_;
    take(1);
    return true;
  }

  // False where more of the text has to come.
  bool take_span() {
    const size_t marks = run_at(text_, at_);
    const bool code = text_[at_] == '`';
    if (at_ + marks == text_.size() && may_go_on()) return false;
    if (!code && !opens(text_, at_, marks, at_ ? text_[at_ - 1] : ' ')) return take(marks), true;
    const std::string_view near = text_.substr(0, at_ + kLongestSpan);
    const auto end = code ? find_code_end(near, at_, marks) : find_emphasis_end(near, at_, marks);
    if (may_go_on() && (!end || *end + marks == text_.size())) return false;
    if (!end) return take(marks), true;
    show(text_.substr(at_ + marks, *end - at_ - marks), code, marks);
    at_ = *end + marks;
    return true;
  }

  void show(std::string_view inner, bool code, size_t marks) {
    std::string with = style_;
    with += code ? kCode : marks == 1 ? kItalic : kBold;
    if (!code && marks == 3) with += kItalic;
    out_ += with;
    if (code)
      out_ += inner;
    else
      Spans(inner, /*whole=*/true, with, out_).render();
    out_ += kReset;
    out_ += style_;
  }

  std::string_view text_;
  bool whole_;
  std::string style_;  // around the text
  std::string& out_;
  size_t at_ = 0;
};

// The first mark of a line: of a heading or of a list.
struct LineBegin {
  size_t bytes = 0;  // of the mark and the blanks around it
  std::string shown = {}, style = {};
};

// None where more of the line has to come.
std::optional<LineBegin> read_begin(std::string_view line, bool whole) {
  const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  if (blanks == line.size()) return whole ? std::optional(LineBegin()) : std::nullopt;
  const char c = line[blanks];
  if (c != '#' && c != '-' && c != '*' && c != '+') return LineBegin();
  const size_t marks = run_at(line, blanks), after = blanks + marks;
  if (after == line.size()) return whole ? std::optional(LineBegin()) : std::nullopt;
  if (line[after] != ' ') return LineBegin();
  if (c == '#' && marks <= 6 && blanks <= 3)
    return LineBegin{.bytes = after + 1, .shown = std::string(kBold), .style = std::string(kBold)};
  if (c != '#' && marks == 1) return LineBegin{.bytes = after + 1, .shown = std::string(blanks, ' ') + "• "};
  return LineBegin();
}

}  // namespace

void Markdown::show(bool whole) {
  if (line_begins_) {
    const std::optional<LineBegin> begin = read_begin(held_, whole);
    if (!begin) return;
    line_begins_ = false;
    style_ = begin->style;
    out_ += begin->shown;
    held_.erase(0, begin->bytes);
  }
  held_.erase(0, Spans(held_, whole, style_, out_).render());
}

std::string Markdown::push(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    held_ += text.substr(0, end);
    show(/*whole=*/end != std::string_view::npos);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (!style_.empty()) out_ += kReset;
    out_ += '\n';
    style_.clear();
    line_begins_ = true;
  }
  return std::exchange(out_, {});
}

std::string Markdown::finish() {
  show(/*whole=*/true);
  if (!style_.empty()) out_ += kReset;
  std::string out = std::exchange(out_, {});
  *this = {};
  return out;
}

std::string rendered_code(std::string_view lines) {
  std::string out;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) out.append(kCode).append(lines.substr(0, end)).append(kReset);
    if (end < lines.size()) out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

}  // namespace skald
