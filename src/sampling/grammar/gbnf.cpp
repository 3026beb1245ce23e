#include "sampling/grammar/gbnf.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/log.h"
#include "sampling/grammar/source_reader.h"
#include "text/utf8.h"

namespace skald {

namespace {

constexpr int kMaxGbnfDepth = 250;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class GbnfParser {
 public:
  GbnfParser(Grammar& grammar, std::string_view text) : grammar_(grammar), reader_(text, SourceReader::Kind::kGrammar) {}

  void parse() {
    space(true);
    while (!reader_.done()) rule();
    for (const auto& [rule, at] : first_used_) {
      const Grammar::Rule& used = grammar_.rules()[rule];
      if (used.body == Grammar::kUndefined) reader_.wrong_at(at, fmt::format("the rule \"{}\" is not defined", used.name));
    }
    const auto root = rules_.find("root");
    if (root == rules_.end()) fail(Errc::kBadInput, "grammar: there is no rule \"root\"");
    grammar_.set_start(root->second);
  }

 private:
  // Blanks and comments; line ends where the rule cannot end.
  void space(bool lines) {
    for (;;) {
      const char c = reader_.peek();
      if (reader_.done()) return;
      if (c == '#') {
        while (!reader_.done() && reader_.peek() != '\n' && reader_.peek() != '\r') reader_.next();
      } else if (c == ' ' || c == '\t' || (lines && (c == '\n' || c == '\r'))) {
        reader_.next();
      } else {
        return;
      }
    }
  }

  std::string name() {
    std::string out;
    while (!reader_.done() && is_word(reader_.peek())) out += static_cast<char>(reader_.next());
    if (out.empty()) reader_.wrong("wants the name of a rule");
    if (out.size() > 1000) reader_.wrong("the name is too long");
    return out;
  }

  RuleId rule_of(const std::string& name) {
    const auto [it, added] = rules_.try_emplace(name);
    if (added) it->second = grammar_.add_rule(name);
    return it->second;
  }

  void rule() {
    const std::string called = name();
    const RuleId id = rule_of(called);
    space(false);
    if (!reader_.take("::=")) reader_.wrong(fmt::format("wants \"::=\" after \"{}\"", called));
    space(true);
    const ExprId body = alternatives(0);
    if (grammar_.rules()[id].body != Grammar::kUndefined) {
      log(LogLevel::kWarn, "grammar: the rule \"{}\" is defined twice; the last definition counts", called);
    }
    grammar_.define(id, body);
    if (!reader_.done() && !reader_.take("\r\n") && !reader_.take("\r") && !reader_.take("\n")) {
      reader_.wrong("the rule goes on with something that belongs to no rule");
    }
    space(true);
  }

  ExprId alternatives(int depth) {
    if (depth > kMaxGbnfDepth) reader_.wrong(fmt::format("is nested deeper than {}", kMaxGbnfDepth));
    std::vector<ExprId> parts{sequence(depth)};
    while (reader_.take("|")) {
      space(true);
      parts.push_back(sequence(depth));
    }
    return grammar_.any_of(parts);
  }

  ExprId sequence(int depth) {
    std::vector<ExprId> parts;
    for (;;) {
      const bool inside = depth > 0;
      if (const auto bounds = repetition(inside)) {
        if (parts.empty()) reader_.wrong("there is nothing to repeat");
        parts.back() = grammar_.repeat(parts.back(), bounds->first, bounds->second);
        continue;
      }
      const std::optional<ExprId> one = element(depth);
      if (!one) return grammar_.sequence(parts);
      parts.push_back(*one);
      space(inside);
    }
  }

  std::optional<ExprId> element(int depth) {
    const char c = reader_.peek();
    if (reader_.done()) return std::nullopt;
    if (reader_.take("\"")) return literal();
    if (reader_.take("[")) return char_class();
    if (reader_.take(".")) return grammar_.terminal(any_character());
    if (c == '<' || c == '!') reader_.unsupported(reader_.at(), "a token (<name>, <[id]>) in a grammar");
    if (is_word(c)) {
      const size_t at = reader_.at();
      const RuleId rule = rule_of(name());
      first_used_.try_emplace(rule, at);
      return grammar_.rule(rule);
    }
    if (!reader_.take("(")) return std::nullopt;
    const size_t at = reader_.at();
    space(true);
    const ExprId inside = alternatives(depth + 1);
    if (!reader_.take(")")) reader_.wrong_at(at, "the group is not closed by \")\"");
    return inside;
  }

  RegexId any_character() {
    if (any_ == RegexSet::kNothing) any_ = grammar_.regexes.code_points(complement_of({}));
    return any_;
  }

  uint32_t character() {
    const size_t at = reader_.at();
    if (!reader_.take("\\")) return reader_.next();
    const uint32_t c = reader_.next();
    uint32_t code = c;
    switch (c) {
      case 'x':
        code = reader_.hex(2);
        break;
      case 'u':
        code = reader_.hex(4);
        break;
      case 'U':
        code = reader_.hex(8);
        break;
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      case '\\':
      case '"':
      case '[':
      case ']':
      case '-':
        return c;
      default:
        reader_.wrong_at(at, "the escape is unknown");
    }
    if (code > kLastCodePoint || (code >= 0xD800 && code < 0xE000)) reader_.wrong_at(at, "the escape is no character");
    return code;
  }

  ExprId literal() {
    const size_t at = reader_.at();
    std::string text;
    while (!reader_.take("\"")) {
      if (reader_.done()) reader_.wrong_at(at, "the text is not closed by a quote");
      append_utf8(text, character());
    }
    return grammar_.terminal(grammar_.regexes.literal(text));
  }

  ExprId char_class() {
    const size_t at = reader_.at();
    const bool negated = reader_.take("^");
    CodePoints set;
    while (!reader_.take("]")) {
      if (reader_.done()) reader_.wrong_at(at, "the class is not closed by \"]\"");
      const uint32_t first = character();
      uint32_t last = first;
      if (reader_.looking_at("-") && !reader_.looking_at("-]")) {
        reader_.take("-");
        last = character();
      }
      if (last < first) reader_.wrong_at(at, "the range ends before it begins");
      set.push_back({first, last});
    }
    if (set.empty()) reader_.wrong_at(at, "the class has no characters");
    return grammar_.terminal(grammar_.regexes.code_points(negated ? complement_of(set) : set));
  }

  std::optional<std::pair<int64_t, int64_t>> repetition(bool inside) {
    std::optional<std::pair<int64_t, int64_t>> out;
    if (reader_.take("*"))
      out = {0, -1};
    else if (reader_.take("+"))
      out = {1, -1};
    else if (reader_.take("?"))
      out = {0, 1};
    else if (reader_.take("{"))
      out = bounds(inside);
    if (out) space(inside);
    return out;
  }

  std::pair<int64_t, int64_t> bounds(bool inside) {
    const size_t at = reader_.at();
    const auto count = [&]() -> std::optional<int64_t> {
      space(inside);
      const std::optional<int64_t> number = reader_.number();
      if (number && *number > 1'000'000'000) reader_.wrong_at(at, "repeats too often");
      space(inside);
      return number;
    };
    const std::optional<int64_t> min = count();
    if (!min) reader_.wrong_at(at, "wants a number of repetitions");
    std::optional<int64_t> max = min;
    if (reader_.take(",")) max = count();
    if (!reader_.take("}")) reader_.wrong_at(at, "the repetition is not closed by \"}\"");
    if (max && *max < *min) reader_.wrong_at(at, "repeats at least more often than at most");
    return {*min, max.value_or(-1)};
  }

  Grammar& grammar_;
  SourceReader reader_;
  std::unordered_map<std::string, RuleId> rules_;
  std::unordered_map<RuleId, size_t> first_used_;
  RegexId any_ = RegexSet::kNothing;
};

}  // namespace

void add_gbnf(Grammar& grammar, std::string_view text) { GbnfParser(grammar, text).parse(); }

}  // namespace skald
