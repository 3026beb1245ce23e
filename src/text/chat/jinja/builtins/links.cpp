// urlize: addresses in a text as links, found as Jinja finds them.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/chat/jinja/builtins/html.h"
#include "text/chat/jinja/run/failure.h"
#include "text/chat/jinja/values/show.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {
namespace {

size_t count(std::string_view text, std::string_view sought) {
  size_t out = 0;
  for (size_t at = text.find(sought); at != std::string_view::npos; at = text.find(sought, at + sought.size())) ++out;
  return out;
}

// As jinja2.utils: a scheme or "www." with a host, a host that ends in a well-known name, or a scheme with a number. Then
// maybe a port and a path.
constexpr const char* kAddress =
    "^(?:"
    "(?:https?://|www\\.)(?:[\\w%-]+\\.)*(?:[a-z]{2,63}|xn--[\\w%]{2,59})"
    "|(?:[\\w%-]{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)"
    "|https?://(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[(?:[\\da-f]{0,4}:){2}(?:[\\da-f]{0,4}:?){1,6}\\])"
    ")(?::\\d{1,5})?(?:[/?#]\\S*)?$";
constexpr const char* kMail = "^\\S+@\\w[\\w.-]*\\.\\w+$";

class Pattern {
 public:
  explicit Pattern(const char* text) {
    int error = 0;
    size_t where = 0;
    code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text), PCRE2_ZERO_TERMINATED, PCRE2_UTF | PCRE2_UCP | PCRE2_CASELESS,
                          &error, &where, nullptr);
    SKALD_ASSERT(code_ != nullptr);
    data_ = pcre2_match_data_create_from_pattern(code_, nullptr);
    limits_ = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(limits_, 100000);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() {
    pcre2_match_context_free(limits_);
    pcre2_match_data_free(data_);
    pcre2_code_free(code_);
  }
  bool matches(std::string_view text) const {
    const int out = pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0, data_, limits_);
    if (out < 0 && out != PCRE2_ERROR_NOMATCH) raise(ErrorKind::kLimit, "urlize: a word that takes too long");
    return out >= 0;
  }

 private:
  pcre2_code* code_;
  pcre2_match_data* data_;
  pcre2_match_context* limits_;
};

struct Patterns {
  Pattern address{kAddress}, mail{kMail};
};

constexpr std::array<std::string_view, 3> kOpening = {"(", "<", "&lt;"};
constexpr std::array<std::string_view, 3> kClosing = {")", ">", "&gt;"};

struct Word {
  std::string_view head;
  std::string middle, tail;
};

Word parts_of(std::string_view word) {
  Word out;
  size_t at = 0;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view open : kOpening)
      if (word.substr(at).starts_with(open)) {
        at += open.size();
        more = true;
        break;
      }
  }
  out.head = word.substr(0, at);
  std::string_view middle = word.substr(at);
  size_t end = middle.size();
  for (bool more = true; more && end > 0;) {
    more = false;
    for (const std::string_view close : {std::string_view(")"), std::string_view(">"), std::string_view("."),
                                         std::string_view(","), std::string_view("\n"), std::string_view("&gt;")})
      if (middle.substr(0, end).ends_with(close)) {
        end -= close.size();
        more = true;
        break;
      }
  }
  out.middle = middle.substr(0, end);
  out.tail = middle.substr(end);
  for (size_t i = 0; i < kOpening.size(); ++i) {
    const size_t opened = count(out.middle, kOpening[i]);
    if (opened <= count(out.middle, kClosing[i])) continue;
    for (size_t n = std::min(opened, count(out.tail, kClosing[i])); n > 0; --n) {
      const size_t cut = out.tail.find(kClosing[i]) + kClosing[i].size();
      out.middle += out.tail.substr(0, cut);
      out.tail.erase(0, cut);
    }
  }
  return out;
}

std::string linked(const std::string& middle, const LinkOptions& options, const Patterns& patterns) {
  const std::string rel = options.rel.empty() ? "" : fmt::format(" rel=\"{}\"", escaped(options.rel));
  const std::string target = options.target.empty() ? "" : fmt::format(" target=\"{}\"", escaped(options.target));
  if (patterns.address.matches(middle)) {
    const bool scheme = middle.starts_with("https://") || middle.starts_with("http://");
    std::string shown = middle;
    if (options.most_shown >= 0 && static_cast<int64_t>(count_chars(middle)) > options.most_shown)
      shown = middle.substr(0, char_offset(middle, static_cast<size_t>(options.most_shown))) + "...";
    return fmt::format("<a href=\"{}{}\"{}{}>{}</a>", scheme ? "" : "https://", middle, rel, target, shown);
  }
  if (middle.starts_with("mailto:") && patterns.mail.matches(std::string_view(middle).substr(7)))
    return fmt::format("<a href=\"{}\">{}</a>", middle, middle.substr(7));
  const bool mail = middle.find('@') != std::string::npos && !middle.starts_with("www.") && !middle.starts_with("@") &&
                    middle.find(':') == std::string::npos && patterns.mail.matches(middle);
  return mail ? fmt::format("<a href=\"mailto:{0}\">{0}</a>", middle) : middle;
}

}  // namespace

std::string with_links(std::string_view text, const LinkOptions& options, Budget& budget) {
  const Patterns patterns;
  std::string out;
  budget.spend_bytes(text.size() * 8);
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    size_t end = at;
    const bool blank = is_space(next_char(text, at));
    for (end = at; at < text.size() && is_space(next_char(text, at)) == blank; end = at) {
    }
    at = end;
    budget.step();
    if (blank) {
      out += text.substr(begin, end - begin);
      continue;
    }
    const Word word = parts_of(text.substr(begin, end - begin));
    out += std::string(word.head) + linked(word.middle, options, patterns) + word.tail;
    budget.check_text(out.size());
  }
  return out;
}

}  // namespace skald::jinja
