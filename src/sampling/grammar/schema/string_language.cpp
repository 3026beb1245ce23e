#include "sampling/grammar/schema/string_language.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sampling/grammar/json_escapes.h"
#include "text/utf8.h"

namespace skald {
namespace {

constexpr uint32_t kFirstFree = 0x20;  // below are control characters, which JSON wants escaped

}  // namespace

std::string spelled(std::string_view utf8) {
  std::string out;
  for (const char c : utf8) {
    const std::string escape = json_escape(static_cast<uint8_t>(c));
    out += escape.empty() ? std::string(1, c) : escape;
  }
  return out;
}

StringLanguage::StringLanguage(RegexSet& regexes) : regexes_(regexes) {
  const std::array every{CodePointRange{0, kLastCodePoint}};
  any_ = characters(every);
  all_ = regexes_.repeat(any_, 0, -1);
}

RegexId StringLanguage::characters(std::span<const CodePointRange> ranges) {
  const std::array free{CodePointRange{kFirstFree, '"' - 1}, CodePointRange{'"' + 1, '\\' - 1},
                        CodePointRange{'\\' + 1, kLastCodePoint}};
  const CodePoints wanted = normalized(ranges);
  std::vector<RegexId> parts{regexes_.code_points(intersection_of(wanted, free))};
  for (const CodePointRange& r : wanted) {
    for (uint32_t c = r.first; c <= std::min<uint32_t>(r.last, '\\'); ++c) {
      if (const std::string escape = json_escape(c); !escape.empty()) parts.push_back(regexes_.literal(escape));
    }
  }
  return regexes_.any_of(parts);
}

RegexId StringLanguage::text(std::string_view utf8) { return regexes_.literal(spelled(utf8)); }

RegexId StringLanguage::texts(std::span<const std::string> utf8) {
  std::vector<RegexId> parts;
  for (const std::string& one : utf8) parts.push_back(text(one));
  return regexes_.any_of(parts);
}

// all() and nothing keep their ids, by which they are known.
RegexId StringLanguage::both(RegexId a, RegexId b) {
  if (a == all_ || b == all_) return a == all_ ? b : a;
  const RegexId out = regexes_.both(a, b);
  return regexes_.is_nothing(out) ? regexes_.nothing() : out;
}

RegexId StringLanguage::either(RegexId a, RegexId b) {
  if (a == all_ || b == all_) return all_;
  const std::array parts{a, b};
  return regexes_.any_of(parts);
}

RegexId StringLanguage::minus(RegexId a, RegexId b) {
  if (b == RegexSet::kNothing || a == RegexSet::kNothing) return a;
  if (b == all_) return regexes_.nothing();
  const RegexId out = regexes_.both(a, regexes_.complement(b));
  return regexes_.is_nothing(out) ? regexes_.nothing() : out;
}

RegexId StringLanguage::length(int64_t min, int64_t max) { return regexes_.repeat(any_, min, max); }

RegexId StringLanguage::quoted(RegexId strings) { return quoted_plainly(strings == all_ ? any_spelling() : strings); }

RegexId StringLanguage::quoted_plainly(RegexId strings) {
  const RegexId quote = regexes_.literal("\"");
  return regexes_.concat(std::array{quote, strings, quote});
}

RegexId StringLanguage::unquoted(RegexId strings) {
  if (strings != all_) return regexes_.unescaped(strings);
  const std::array every{CodePointRange{0, kLastCodePoint}};
  return regexes_.repeat(regexes_.code_points(every), 0, -1);
}

// Every character but quote, backslash and controls; escapes of one letter; \uXXXX: no surrogate, or a pair of them.
RegexId StringLanguage::any_spelling() {
  const auto set = [&](std::string_view bytes) {
    ByteSet out;
    for (const char c : bytes) out.add(static_cast<uint8_t>(c));
    return regexes_.bytes(out);
  };
  const std::array free{CodePointRange{kFirstFree, '"' - 1}, CodePointRange{'"' + 1, '\\' - 1},
                        CodePointRange{'\\' + 1, kLastCodePoint}};
  const RegexId hex = set("0123456789abcdefABCDEF"), backslash_u = regexes_.literal("\\u");
  const RegexId d = set("dD"), backslash = regexes_.literal("\\");
  const std::array letter{backslash, set("\"\\/bfnrt")};
  const std::array plain_start{set("0123456789abcefABCEF"), hex}, d_start{d, set("01234567")};
  const std::array starts{regexes_.concat(plain_start), regexes_.concat(d_start)};
  const std::array unit{backslash_u, regexes_.any_of(starts), hex, hex};
  const std::array pair{backslash_u, d, set("89abAB"), hex, hex, backslash_u, d, set("cdefCDEF"), hex, hex};
  const std::array all{regexes_.code_points(free), regexes_.concat(letter), regexes_.concat(unit), regexes_.concat(pair)};
  return regexes_.repeat(regexes_.any_of(all), 0, -1);
}

}  // namespace skald
