#include "sampling/grammar/regex_parser.h"

#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "sampling/grammar/anchored.h"
#include "sampling/grammar/regex_classes.h"
#include "sampling/grammar/regex_escapes.h"
#include "sampling/grammar/source_reader.h"

namespace skald {

namespace {

constexpr int kMaxRegexDepth = 250;

// Of most expressions a language is all there is to say; of those with anchors, what Anchored says.
using Value = std::variant<RegexId, Anchored>;

class Parser {
 public:
  Parser(RegexSet& regexes, std::string_view text, const RegexOptions& options)
      : regexes_(regexes), reader_(text, SourceReader::Kind::kRegex), options_(options) {}

  RegexId parse() {
    Value value = alternatives(0);
    if (!reader_.done()) reader_.wrong("a \")\" that opens nothing");
    if (options_.search) {
      const RegexId around = regexes_.repeat(spelled(complement_of({})), 0, -1);
      if (const auto* plain = std::get_if<RegexId>(&value)) return regexes_.concat(std::vector{around, *plain, around});
      value = joined(joined(around, value), around);
    }
    const auto* plain = std::get_if<RegexId>(&value);
    return plain ? *plain : std::get<Anchored>(value).whole(regexes_);
  }

 private:
  Anchored anchored(const Value& value) {
    const auto* plain = std::get_if<RegexId>(&value);
    return plain ? Anchored::plain(regexes_, *plain) : std::get<Anchored>(value);
  }
  Value joined(const Value& a, const Value& b) { return Anchored::concat(regexes_, anchored(a), anchored(b)); }

  RegexId spelled(const CodePoints& set) {
    return options_.spell ? options_.spell(regexes_, set) : regexes_.code_points(set);
  }
  RegexId character(uint32_t code) {
    const auto [it, added] = characters_.try_emplace(code);
    if (added) it->second = spelled({{code, code}});
    return it->second;
  }

  Value alternatives(int depth) {
    if (depth > kMaxRegexDepth) reader_.wrong(fmt::format("is nested deeper than {}", kMaxRegexDepth));
    std::vector<RegexId> plain;
    std::optional<Anchored> others;
    do {
      const Value one = sequence(depth);
      if (const auto* regex = std::get_if<RegexId>(&one))
        plain.push_back(*regex);
      else
        others = others ? Anchored::any_of(regexes_, *others, std::get<Anchored>(one)) : std::get<Anchored>(one);
    } while (reader_.take("|"));
    const RegexId rest = regexes_.any_of(plain);
    if (!others) return rest;
    return plain.empty() ? *others : Anchored::any_of(regexes_, *others, Anchored::plain(regexes_, rest));
  }

  Value sequence(int depth) {
    std::vector<RegexId> plain;
    std::optional<Anchored> before;
    const auto flush = [&] {
      const Anchored part = Anchored::plain(regexes_, regexes_.concat(plain));
      before = before ? Anchored::concat(regexes_, *before, part) : part;
      plain.clear();
    };
    while (!reader_.done() && reader_.peek() != '|' && reader_.peek() != ')') {
      const Value one = quantified(depth);
      if (const auto* regex = std::get_if<RegexId>(&one)) {
        plain.push_back(*regex);
        continue;
      }
      flush();
      before = Anchored::concat(regexes_, *before, std::get<Anchored>(one));
    }
    if (!before) return regexes_.concat(plain);
    flush();
    return *before;
  }

  Value quantified(int depth) {
    Value value = atom(depth);
    for (bool first = true;; first = false) {
      const size_t at = reader_.at();
      const auto bounds = quantifier();
      if (!bounds) return value;
      if (!first) reader_.wrong_at(at, "repeats a repetition; put it into a group");
      if (reader_.take("+")) reader_.unsupported(at, "a possessive quantifier");
      reader_.take("?");  // lazy: which of the matches comes first, not which there are
      if (const auto* plain = std::get_if<RegexId>(&value))
        value = regexes_.repeat(*plain, bounds->first, bounds->second);
      else
        value = Anchored::repeat(regexes_, std::get<Anchored>(value), bounds->first, bounds->second);
    }
  }

  std::optional<std::pair<int64_t, int64_t>> quantifier() {
    if (reader_.take("*")) return std::pair<int64_t, int64_t>{0, -1};
    if (reader_.take("+")) return std::pair<int64_t, int64_t>{1, -1};
    if (reader_.take("?")) return std::pair<int64_t, int64_t>{0, 1};
    return reader_.peek() == '{' ? counts() : std::nullopt;
  }

  // A "{" that begins no {m}, {m,} or {m,n} is itself.
  std::optional<std::pair<int64_t, int64_t>> counts() {
    const size_t at = reader_.at();
    reader_.take("{");
    std::optional<int64_t> min = reader_.number(), max = min;
    if (reader_.take(",")) {
      max = reader_.number();
      if (!min && options_.dialect == RegexDialect::kPython) min = 0;
      if (!max) max = -1;
    }
    if (!min || !reader_.take("}")) {
      reader_.back_to(at);
      return std::nullopt;
    }
    if (*max >= 0 && *max < *min) reader_.wrong_at(at, "repeats at least more often than at most");
    return std::pair{*min, *max};
  }

  Value atom(int depth) {
    const size_t at = reader_.at();
    if (reader_.peek() == '{' && counts()) reader_.wrong_at(at, "there is nothing to repeat");
    const uint32_t c = reader_.next();
    switch (c) {
      case '(':
        return group(at, depth);
      case '[':
        return spelled(read_class(reader_, options_.dialect));
      case '.':
        return spelled(dot_class(options_.dialect));
      case '^':
        return Anchored::begin();
      case '$':
        return Anchored::end();
      case '*':
      case '+':
      case '?':
        reader_.wrong_at(at, "there is nothing to repeat");
      case '\\':
        return escape();
      default:
        return character(c);
    }
  }

  Value escape() {
    if (options_.dialect == RegexDialect::kPython) {
      if (reader_.take("A")) return Anchored::begin();
      if (reader_.take("Z")) return Anchored::end();
    }
    const RegexEscape escape = read_escape(reader_, options_.dialect, false);
    if (const auto* code = std::get_if<uint32_t>(&escape)) return character(*code);
    return spelled(std::get<CodePoints>(escape));
  }

  Value group(size_t at, int depth) {
    if (reader_.take("?")) open_special(at);
    Value inside = alternatives(depth + 1);
    if (!reader_.take(")")) reader_.wrong_at(at, "the group is not closed by \")\"");
    return inside;
  }

  void open_special(size_t at) {
    if (reader_.take(":")) return;
    if (reader_.looking_at("=") || reader_.looking_at("!")) reader_.unsupported(at, "look-ahead");
    if (reader_.looking_at("<=") || reader_.looking_at("<!")) reader_.unsupported(at, "look-behind");
    if (reader_.looking_at("P=")) reader_.unsupported(at, "a back-reference");
    if (reader_.looking_at(">")) reader_.unsupported(at, "an atomic group");
    if (reader_.looking_at("(")) reader_.unsupported(at, "a condition");
    if (!reader_.take("P<") && !reader_.take("<"))
      reader_.unsupported(at, "a group that begins so (flags inside of the expression)");
    const std::string_view name = reader_.until(">", "the group's name");
    const auto fits = [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
    };
    bool good = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
    for (const char c : name) good = good && fits(c);
    if (!good) reader_.wrong_at(at, "the group has no proper name");
  }

  RegexSet& regexes_;
  SourceReader reader_;
  const RegexOptions& options_;
  std::unordered_map<uint32_t, RegexId> characters_;
};

}  // namespace

RegexId parse_regex(RegexSet& regexes, std::string_view expression, const RegexOptions& options) {
  return Parser(regexes, expression, options).parse();
}

}  // namespace skald
