#include "text/chat/replies/json_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "text/chat/replies/json_scanner.h"
#include "text/chat/replies/white_space.h"
#include "text/utf8.h"

namespace skald {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kNames = "btnvfr";  // of 8 to 13; JSON has no \v
  if (c >= '\b' && c <= '\r' && c != '\v') {
    out += '\\';
    out += kNames[static_cast<size_t>(c - '\b')];
  } else {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

/// Returns the number that the four hexadecimal digits at `at` spell; -1: there are none.
int32_t hex4(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int32_t value = 0;
  for (char c : text.substr(at, 4)) {
    const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | (c >= 'A' && c <= 'F' ? 0x20 : 0)));
    if (digit == std::string_view::npos) return -1;
    value = value * 16 + static_cast<int32_t>(digit);
  }
  return value;
}

/// Appends the character of \uXXXX, of which `at` is the first digit, and gives where it ends.
size_t append_code(std::string& out, std::string_view text, size_t at) {
  const int32_t first = hex4(text, at);
  at += 4;
  if (first < 0xD800 || first > 0xDFFF) {
    append_utf8(out, static_cast<uint32_t>(first < 0 ? 0xFFFD : first));
    return at;
  }
  const bool pair = first < 0xDC00 && text.substr(at, 2) == "\\u";
  const int32_t second = pair ? hex4(text, at + 2) : -1;
  if (second < 0xDC00 || second > 0xDFFF) {
    out += kReplacement;
    return at;
  }
  append_utf8(out, static_cast<uint32_t>(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)));
  return at + 6;
}

/// Takes the value that begins `text` after white space, which is dropped; `text` goes on after it.
std::optional<std::string_view> take_value(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  JsonScanner scanner;
  const size_t used = scanner.feed(text);
  scanner.end();
  if (!scanner.done()) return std::nullopt;
  const std::string_view value = text.substr(0, used);
  text.remove_prefix(used);
  text.remove_prefix(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
  return value;
}

}  // namespace

std::string plain_json(std::string_view value) {
  std::string out;
  bool in_text = false, escaped = false;
  for (char c : trimmed(value)) {
    if (in_text && is_control(c)) {
      append_escaped(out, c);
    } else {
      out += c;
    }
    if (c == '"' && !escaped) in_text = !in_text;
    escaped = c == '\\' && !escaped;
  }
  return out;
}

std::string quote_json(std::string_view text) {
  std::string valid, out = "\"";
  append_valid_utf8(valid, text);
  for (char c : valid) {
    if (is_control(c)) {
      append_escaped(out, c);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

std::string unquote_json(std::string_view quoted) {
  const std::string_view text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char c = text[++at];
    const size_t name = std::string_view("bfnrt").find(c);
    if (c == 'u') {
      at = append_code(out, text, at + 1) - 1;
    } else {
      out += name == std::string_view::npos ? c : "\b\f\n\r\t"[name];
    }
  }
  return out;
}

std::optional<std::vector<std::pair<std::string, std::string_view>>> json_members(std::string_view object) {
  object = trimmed(object);
  if (!object.starts_with('{') || !is_json(object)) return std::nullopt;
  std::vector<std::pair<std::string, std::string_view>> members;
  object = object.substr(1, object.size() - 2);
  while (!trimmed(object).empty()) {
    const std::optional<std::string_view> key = take_value(object);
    if (!key) return std::nullopt;
    object.remove_prefix(1);  // the colon
    const std::optional<std::string_view> value = take_value(object);
    if (!value) return std::nullopt;
    if (!object.empty()) object.remove_prefix(1);  // the comma
    members.emplace_back(unquote_json(*key), *value);
  }
  return members;
}

}  // namespace skald
