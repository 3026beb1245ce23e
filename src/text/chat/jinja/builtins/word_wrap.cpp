#include "text/chat/jinja/builtins/word_wrap.h"

#include <algorithm>

#include "text/chat/jinja/run/failure.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

// textwrap knows the blanks of ASCII only.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_letter(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  const char32_t c = next_char(text, at);
  return is_alpha(c);
}

bool is_word(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  const char32_t c = next_char(text, at);
  return c == '_' || is_alnum(c);
}

char32_t char_before(std::string_view text, size_t at) { return at == 0 ? 0 : previous_char(text, at); }

// Whether a word may be cut after the hyphen at `at`: two letters (or a letter, hyphen, letter) stand before it. Two letters
// stand after it, maybe with a hyphen between.
bool cuts_after_hyphen(std::string_view word, size_t at) {
  const auto letter = [](char32_t c) { return c != 0 && is_alpha(c); };
  size_t one = at;
  const char32_t first = one == 0 ? 0 : previous_char(word, one);
  const char32_t second = char_before(word, one);
  const bool before = letter(first) && (letter(second) || (second == '-' && one > 1 && letter(char_before(word, one - 1))));
  if (!before || !is_letter(word, at + 1)) return false;
  size_t next = at + 1;
  next_char(word, next);
  if (next < word.size() && word[next] == '-') ++next;
  return is_letter(word, next);
}

// Words, runs of blanks, and the parts of words with hyphens.
std::vector<std::string_view> chunks_of(std::string_view text, bool hyphens, Budget& budget) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    budget.step();
    const size_t begin = at;
    const bool blank = is_blank(text[at]);
    while (at < text.size() && is_blank(text[at]) == blank) {
      if (!blank && hyphens && text[at] == '-') {
        size_t end = at;
        while (end < text.size() && text[end] == '-') ++end;
        const char32_t before = at > begin ? char_before(text, at) : 0;
        const bool dash =
            end - at >= 2 && is_word(text, end) && (before == 0 || before == '_' || is_alnum(before) || before < 0x80);
        if (dash) {
          if (at > begin) out.push_back(text.substr(begin, at - begin));
          out.push_back(text.substr(at, end - at));
          at = end;
          break;
        }
        if (end - at == 1 && cuts_after_hyphen(text.substr(begin), at - begin)) {
          out.push_back(text.substr(begin, at + 1 - begin));
          ++at;
          break;
        }
        at = end;
        if (at < text.size()) continue;
      } else {
        ++at;
      }
      if (at >= text.size() || is_blank(text[at]) != blank) out.push_back(text.substr(begin, at - begin));
    }
    if (out.empty() || out.back().data() + out.back().size() < text.data() + at)
      out.push_back(text.substr(begin, at - begin));
  }
  return out;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, const WrapOptions& options, Budget& budget) {
  if (options.width <= 0) raise(ErrorKind::kValue, "invalid width {} (must be > 0)", options.width);
  budget.spend_bytes(text.size() * 4);
  std::vector<std::string_view> chunks = chunks_of(text, options.break_on_hyphens, budget);
  std::ranges::reverse(chunks);
  std::vector<std::string> lines;
  const auto length = [](std::string_view s) { return static_cast<int64_t>(count_chars(s)); };
  while (!chunks.empty()) {
    std::vector<std::string_view> line;
    int64_t used = 0;
    if (is_blank(chunks.back()[0]) && !lines.empty()) chunks.pop_back();
    while (!chunks.empty() && used + length(chunks.back()) <= options.width) {
      used += length(chunks.back());
      line.push_back(chunks.back());
      chunks.pop_back();
      budget.step();
    }
    if (!chunks.empty() && length(chunks.back()) > options.width) {
      const std::string_view word = chunks.back();
      if (options.break_long_words) {
        const int64_t room = options.width - used;  // 0: nothing of the word, and the blank before it stays
        size_t end = char_offset(word, static_cast<size_t>(room));
        if (options.break_on_hyphens && length(word) > room) {
          const size_t hyphen = word.substr(0, end).rfind('-');
          const std::string_view head = word.substr(0, hyphen == std::string_view::npos ? 0 : hyphen);
          if (hyphen != std::string_view::npos && hyphen > 0 && head.find_first_not_of('-') != std::string_view::npos)
            end = hyphen + 1;
        }
        line.push_back(word.substr(0, end));
        chunks.back() = word.substr(end);
        if (chunks.back().empty()) chunks.pop_back();
      } else if (line.empty()) {
        line.push_back(word);
        chunks.pop_back();
      }
      budget.spend_bytes(word.size());
    }
    if (!line.empty() && (line.back().empty() || is_blank(line.back()[0]))) line.pop_back();
    if (line.empty()) continue;
    std::string& out = lines.emplace_back();
    for (const std::string_view part : line) out += part;
  }
  return lines;
}

}  // namespace skald::jinja
