#include "sampling/grammar/schema/value_notation.h"

#include <array>

namespace skald {
namespace {

// What stands between parts: nothing, a space, or a line feed and what indents the next line.
RegexId flexible_gap(RegexSet& regexes) {
  ByteSet blanks = ByteSet::one(' ');
  blanks.add('\t');
  const std::array line{regexes.literal("\n"), regexes.repeat(regexes.bytes(blanks), 0, 64)};
  const std::array ways{regexes.empty(), regexes.literal(" "), regexes.concat(line)};
  return regexes.any_of(ways);
}

}  // namespace

RegexId bare_text(RegexSet& regexes, std::string_view never) {
  ByteSet inside, ends;
  for (unsigned b = 0; b < 256; ++b) {
    const auto c = static_cast<char>(b);
    if (never.find(c) != std::string_view::npos) continue;
    inside.add(static_cast<uint8_t>(b));
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) ends.add(static_cast<uint8_t>(b));
  }
  const RegexId end = regexes.bytes(ends);
  const std::array longer{end, regexes.repeat(regexes.bytes(inside), 0, -1), end};
  return regexes.any_of(std::array{end, regexes.concat(longer)});
}

ValueNotation json_notation(RegexSet& regexes, StringLanguage& strings, JsonWhitespace whitespace) {
  const RegexId gap = whitespace == JsonWhitespace::kFlexible ? flexible_gap(regexes) : regexes.empty();
  const RegexId after = whitespace == JsonWhitespace::kSingle ? regexes.repeat(regexes.literal(" "), 0, 1) : gap;
  const auto text = [&strings](RegexId set) { return strings.quoted(set); };
  return {.gap = gap,
          .comma = regexes.concat(std::array{gap, regexes.literal(","), after}),
          .colon = regexes.concat(std::array{gap, regexes.literal(":"), after}),
          .text = text,
          .key = text};
}

ValueNotation python_notation(RegexSet& regexes, StringLanguage& strings) {
  const RegexId space = regexes.repeat(regexes.literal(" "), 0, 1);
  const auto text = [&strings](RegexId set) { return strings.quoted_plainly(set); };
  return {.comma = regexes.concat(std::array{regexes.literal(","), space}),
          .colon = regexes.concat(std::array{regexes.literal(":"), space}),
          .null = "None",
          .no = "False",
          .yes = "True",
          .text = text,
          .key = text};
}

ValueNotation gemma_notation(RegexSet& regexes, StringLanguage& strings, RegexId quote, std::string_view quote_text) {
  const RegexId any = regexes.anything();
  const RegexId clean = regexes.complement(regexes.concat(std::array{any, regexes.literal(quote_text), any}));
  const RegexId bare = bare_text(regexes, ":,{}[]<\"");
  const auto quoted = [&regexes, quote, clean](RegexId texts) {
    return regexes.concat(std::array{quote, regexes.both(texts, clean), quote});
  };
  return {.comma = regexes.literal(","),
          .colon = regexes.literal(":"),
          .text = [&strings, quoted](RegexId set) { return quoted(strings.unquoted(set)); },
          .key = [&regexes, &strings, bare](RegexId set) { return regexes.both(strings.unquoted(set), bare); }};
}

}  // namespace skald
