#include "text/chat/replies/python_text.h"

#include <cctype>

#include "text/chat/replies/argument_list.h"
#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/json_text.h"
#include "text/chat/replies/white_space.h"
#include "text/utf8.h"

namespace skald {
namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

class PythonReader {
 public:
  explicit PythonReader(std::string_view text) : rest_(text) {}

  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Returns a name, with dots where `dotted`; empty: there is none.
  std::string_view name(bool dotted) {
    skip_space();
    size_t n = 0;
    while (n < rest_.size() && (is_of_name(rest_[n]) || (dotted && (rest_[n] == '.' || rest_[n] == '-')))) ++n;
    if (n == 0 || std::isdigit(static_cast<unsigned char>(rest_.front()))) return {};
    const std::string_view out = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return out;
  }
  std::optional<std::string> value(size_t depth = 0) {
    skip_space();
    if (rest_.empty() || depth == PythonScanner::kMaxDepth) return std::nullopt;
    const char c = rest_.front();
    if (c == '\'' || c == '"') {
      std::optional<std::string> text = string();
      return text ? std::optional(quote_json(*text)) : std::nullopt;
    }
    if (c == '[' || c == '(') return items(c == '[' ? ']' : ')', depth);
    if (c == '{') return members(depth);
    return word();
  }
  std::optional<ReplyCall> call() {
    ReplyCall out{.name = std::string(name(true))};
    if (out.name.empty() || !take('(')) return std::nullopt;
    ArgumentList arguments;
    while (!take(')')) {
      std::string key(name(false));
      if (key.empty() || !take('=')) return std::nullopt;
      std::optional<std::string> json = value();
      if (!json) return std::nullopt;
      arguments.add(std::move(key), std::move(*json));
      if (!take(',') && !rest_.starts_with(')')) return std::nullopt;
    }
    out.arguments = arguments.json();
    return out;
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kWhiteSpace), rest_.size())); }

  std::optional<std::string> items(char close, size_t depth) {
    std::string out = "[";
    rest_.remove_prefix(1);
    while (!take(close)) {
      const std::optional<std::string> item = value(depth + 1);
      if (!item) return std::nullopt;
      out += (out.size() > 1 ? ", " : "") + *item;
      if (!take(',') && !rest_.starts_with(close)) return std::nullopt;
    }
    return out += ']';
  }

  std::optional<std::string> members(size_t depth) {
    ArgumentList out;
    rest_.remove_prefix(1);
    while (!take('}')) {
      skip_space();
      std::optional<std::string> key = string();
      if (!key || !take(':')) return std::nullopt;
      std::optional<std::string> json = value(depth + 1);
      if (!json) return std::nullopt;
      out.add(std::move(*key), std::move(*json));
      if (!take(',') && !rest_.starts_with('}')) return std::nullopt;
    }
    return out.json();
  }

  /// True, None, a number: up to the next sign that belongs to none of them.
  std::optional<std::string> word() {
    size_t n = 0;
    while (n < rest_.size() && (is_of_name(rest_[n]) || std::string_view("+-.").find(rest_[n]) != std::string_view::npos))
      ++n;
    std::string out(rest_.substr(0, n));
    rest_.remove_prefix(n);
    if (out == "True") return "true";
    if (out == "False") return "false";
    if (out == "None") return "null";
    if (out.starts_with('+')) out.erase(0, 1);
    if (out.starts_with('.')) out.insert(0, "0");
    if (out.starts_with("-.")) out.insert(1, "0");
    if (out.ends_with('.')) out += '0';
    return is_json(out) ? std::optional(out) : std::nullopt;
  }

  std::optional<std::string> string() {
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) return std::nullopt;
    const char quote = rest_.front();
    std::string out;
    for (size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == quote) {
        rest_.remove_prefix(at + 1);
        return out;
      }
      if (rest_[at] != '\\' || at + 1 == rest_.size()) {
        out += rest_[at];
      } else {
        at = append_escape(out, at + 1);
      }
    }
    return std::nullopt;
  }

  /// `at`: after the backslash. Gives the escape's last position.
  size_t append_escape(std::string& out, size_t at) const {
    const char c = rest_[at];
    const size_t named = std::string_view("abfnrtv").find(c);
    if (named != std::string_view::npos) {
      out += "\a\b\f\n\r\t\v"[named];
      return at;
    }
    const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0 && at + digits < rest_.size()) return append_code(out, at, digits);
    if (c == '\n') return at;  // the line goes on
    if (c != '\\' && c != '\'' && c != '"') out += '\\';
    out += c;
    return at;
  }

  size_t append_code(std::string& out, size_t at, size_t digits) const {
    uint32_t code = 0;
    for (char c : rest_.substr(at + 1, digits)) {
      if (!std::isxdigit(static_cast<unsigned char>(c))) {
        out += '\\';
        out += rest_[at];
        return at;
      }
      code = code * 16 + static_cast<uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    const bool character = code < 0xD800 || (code > 0xDFFF && code < 0x110000);
    append_utf8(out, character ? code : 0xFFFD);
    return at + digits;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::string> python_json(std::string_view literal) {
  PythonReader reader(literal);
  std::optional<std::string> out = reader.value();
  return reader.at_end() ? out : std::nullopt;
}

std::optional<std::vector<ReplyCall>> python_calls(std::string_view text) {
  PythonReader reader(text);
  std::vector<ReplyCall> calls;
  const bool list = reader.take('[');
  do {
    std::optional<ReplyCall> call = reader.call();
    if (!call) return std::nullopt;
    calls.push_back(std::move(*call));
  } while (list && reader.take(','));
  if (list && !reader.take(']')) return std::nullopt;
  return reader.at_end() ? std::optional(std::move(calls)) : std::nullopt;
}

void PythonScanner::step(char c) {
  if (quote_) {
    if (c == quote_ && !escaped_) quote_ = 0;
    escaped_ = c == '\\' && !escaped_;
    return;
  }
  constexpr std::string_view kOpen = "([{", kClose = ")]}";
  if (c == '\'' || c == '"') {
    quote_ = c;
  } else if (kOpen.find(c) != std::string_view::npos) {
    if (open_.size() == kMaxDepth) bad_ = true;
    open_ += c;
  } else if (const size_t close = kClose.find(c); close != std::string_view::npos) {
    if (open_.empty() || open_.back() != kOpen[close]) bad_ = true;
    if (!bad_) open_.pop_back();
    done_ = open_.empty();
  }
}

size_t PythonScanner::feed(std::string_view text) {
  size_t at = 0;
  while (at < text.size() && !done_ && !bad_) step(text[at++]);
  return at;
}

}  // namespace skald
