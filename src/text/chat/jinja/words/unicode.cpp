#include "text/chat/jinja/words/unicode.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include "text/chat/jinja/words/char_classes.h"
#include "text/chat/jinja/words/special_casing.h"

namespace skald::jinja {
namespace {

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

char32_t plain_upper(char32_t c) { return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))); }
char32_t plain_lower(char32_t c) { return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))); }
char32_t plain_title(char32_t c) { return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))); }

void add_upper(std::string& out, char32_t c) {
  if (const char* special = c < 0x80 ? nullptr : special_upper(c))
    out += special;
  else
    append_char(out, plain_upper(c));
}

void add_title(std::string& out, char32_t c) {
  if (const char* special = c < 0x80 ? nullptr : special_title(c))
    out += special;
  else
    append_char(out, plain_title(c));
}

// Characters on which sigma's form does not depend: neither cased nor looked through.
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      break;
  }
  switch (c) {
    case '\'':
    case '.':
    case ':':
    case 0xB7:
    case 0x387:
    case 0x55F:
    case 0x5F4:
    case 0x2018:
    case 0x2019:
    case 0x2024:
    case 0x2027:
    case 0xFE13:
    case 0xFE52:
    case 0xFE55:
    case 0xFF07:
    case 0xFF0E:
    case 0xFF1A:
      return true;
    default:
      return false;
  }
}

// A sigma at the end of a word has a form of its own.
bool is_final_sigma(std::string_view text, size_t begin, size_t end) {
  bool cased_before = false;
  for (size_t at = begin; at > 0;) {
    const char32_t c = previous_char(text, at);
    if (is_case_ignorable(c)) continue;
    cased_before = is_cased(c);
    break;
  }
  if (!cased_before) return false;
  for (size_t at = end; at < text.size();) {
    const char32_t c = next_char(text, at);
    if (!is_case_ignorable(c)) return !is_cased(c);
  }
  return true;
}

void add_lower(std::string& out, std::string_view text, size_t begin, size_t end, char32_t c) {
  if (c == 0x130)
    out += "i\xCC\x87";
  else if (c == 0x3A3)
    append_char(out, is_final_sigma(text, begin, end) ? 0x3C2 : 0x3C3);
  else
    append_char(out, plain_lower(c));
}

// Calls f(out, c, begin, end) for each character.
template <class F>
std::string mapped(std::string_view text, F&& f) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = next_char(text, at);
    f(out, c, begin, at);
  }
  return out;
}

}  // namespace

size_t count_chars(std::string_view text) {
  size_t out = 0;
  for (char byte : text) out += !continues(byte);
  return out;
}

size_t char_offset(std::string_view text, size_t index) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if (!continues(text[at]) && index-- == 0) return at;
  return at;
}

char32_t next_char(std::string_view text, size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  char32_t c = first >= 0xF0 ? first & 7u : first >= 0xE0 ? first & 15u : first & 31u;
  while (at < text.size() && continues(text[at])) c = c << 6 | (static_cast<unsigned char>(text[at++]) & 63u);
  return c;
}

char32_t previous_char(std::string_view text, size_t& end) {
  do --end;
  while (end > 0 && continues(text[end]));
  size_t at = end;
  return next_char(text, at);
}

void append_char(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
  }
  out += static_cast<char>(0x80 | (c & 63));
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_line_end(char32_t c) {
  return (c >= 10 && c <= 13) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_alpha(char32_t c) {
  const utf8proc_category_t k = category(c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }
bool is_digit(char32_t c) { return is_decimal(c) || is_other_digit(c); }

bool is_numeric(char32_t c) {
  const utf8proc_category_t k = category(c);
  return (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO) || is_other_numeric(c);
}

bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL || is_other_lower(c); }
bool is_upper(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LU || is_other_upper(c); }
bool is_title(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }
bool is_cased(char32_t c) { return is_lower(c) || is_upper(c) || is_title(c); }

bool is_printable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

bool is_identifier(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const bool first = at == 0;
    const char32_t c = next_char(text, at);
    const utf8proc_category_t k = category(c);
    const bool starts = c == '_' || is_alpha(c) || k == UTF8PROC_CATEGORY_NL || c == 0x2118 || c == 0x212E;
    const bool goes_on = is_decimal(c) || k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_MC ||
                         k == UTF8PROC_CATEGORY_PC || c == 0xB7 || c == 0x387;
    if (!starts && (first || !goes_on)) return false;
  }
  return !text.empty();
}

// The ten digits of a script lie side by side, from zero on: the mathematical ones without a gap between five sets.
int decimal_value(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c < 0x80 || !is_decimal(c)) return -1;
  if (c >= 0x1D7CE && c <= 0x1D7FF) return static_cast<int>((c - 0x1D7CE) % 10);
  char32_t zero = c;
  while (c - zero < 9 && is_decimal(zero - 1)) --zero;
  return static_cast<int>(c - zero);
}

std::string upper(std::string_view text) {
  return mapped(text, [](std::string& out, char32_t c, size_t, size_t) { add_upper(out, c); });
}

std::string lower(std::string_view text) {
  return mapped(text,
                [text](std::string& out, char32_t c, size_t begin, size_t end) { add_lower(out, text, begin, end, c); });
}

std::string title(std::string_view text) {
  bool cased = false;
  return mapped(text, [&](std::string& out, char32_t c, size_t begin, size_t end) {
    if (cased)
      add_lower(out, text, begin, end, c);
    else
      add_title(out, c);
    cased = is_cased(c);
  });
}

std::string capitalize(std::string_view text) {
  return mapped(text, [text](std::string& out, char32_t c, size_t begin, size_t end) {
    if (begin == 0)
      add_title(out, c);
    else
      add_lower(out, text, begin, end, c);
  });
}

std::string swapcase(std::string_view text) {
  return mapped(text, [text](std::string& out, char32_t c, size_t begin, size_t end) {
    if (is_upper(c))
      add_lower(out, text, begin, end, c);
    else if (is_lower(c))
      add_upper(out, c);
    else
      append_char(out, c);
  });
}

std::string casefold(std::string_view text) {
  return mapped(text, [](std::string& out, char32_t c, size_t, size_t) {
    if (const char* special = c < 0x80 ? nullptr : special_fold(c))
      out += special;
    else
      append_char(out, plain_lower(c));
  });
}

std::string in_quotes(std::string_view text) {
  const bool doubles = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char32_t quote = doubles ? '"' : '\'';
  std::string out = mapped(text, [quote](std::string& o, char32_t c, size_t, size_t) {
    if (c == quote || c == '\\')
      o += fmt::format("\\{}", static_cast<char>(c));
    else if (c == '\n')
      o += "\\n";
    else if (c == '\r')
      o += "\\r";
    else if (c == '\t')
      o += "\\t";
    else if (is_printable(c))
      append_char(o, c);
    else
      o += c < 0x100     ? fmt::format("\\x{:02x}", static_cast<uint32_t>(c))
           : c < 0x10000 ? fmt::format("\\u{:04x}", static_cast<uint32_t>(c))
                         : fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
  });
  return fmt::format("{0}{1}{0}", static_cast<char>(quote), out);
}

}  // namespace skald::jinja
