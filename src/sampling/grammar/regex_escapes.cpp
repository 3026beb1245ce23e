#include "sampling/grammar/regex_escapes.h"

#include <string_view>

#include "sampling/grammar/regex_classes.h"

namespace skald {

namespace {

uint32_t checked_code(const SourceReader& reader, size_t at, uint32_t code) {
  if (code > kLastCodePoint || (code >= 0xD800 && code < 0xE000)) {
    reader.wrong_at(at, fmt::format("U+{:04X} is no character", code));
  }
  return code;
}

// \uD83D\uDE00 is one character.
uint32_t read_u(SourceReader& reader, RegexDialect dialect, size_t at) {
  if (dialect == RegexDialect::kEcma && reader.take("{")) {
    uint32_t code = 0;
    while (!reader.take("}")) {
      code = code << 4 | reader.hex(1);
      if (code > kLastCodePoint) reader.wrong_at(at, "is beyond U+10FFFF");
    }
    return checked_code(reader, at, code);
  }
  const uint32_t high = reader.hex(4);
  if (high >= 0xD800 && high < 0xDC00 && reader.take("\\u")) {
    const uint32_t low = reader.hex(4);
    if (low < 0xDC00 || low > 0xDFFF) reader.wrong_at(at, "half a pair of surrogates");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }
  return checked_code(reader, at, high);
}

CodePoints read_property(SourceReader& reader, bool negated, size_t at) {
  std::string name;
  if (reader.take("{"))
    name = reader.until("}", "a property");
  else
    name = std::string(1, static_cast<char>(reader.next()));
  const CodePoints found = property_class(name);
  if (found.empty()) reader.unsupported(at, fmt::format("the property \"{}\"", name.substr(0, 60)));
  return negated ? complement_of(found) : found;
}

uint32_t read_octal(SourceReader& reader) {
  uint32_t value = 0;
  for (int i = 0; i < 2 && reader.peek() >= '0' && reader.peek() <= '7'; ++i) value = value * 8 + (reader.next() - '0');
  return value;
}

uint32_t read_control(SourceReader& reader, size_t at) {
  const uint32_t letter = reader.next() | 32;
  if (letter < 'a' || letter > 'z') reader.wrong_at(at, "\\c wants a letter");
  return letter & 31;
}

bool is_letter_or_digit(uint32_t c) { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

}  // namespace

RegexEscape read_escape(SourceReader& reader, RegexDialect dialect, bool in_class) {
  const size_t at = reader.at() - 1;
  const bool ecma = dialect == RegexDialect::kEcma;
  const uint32_t c = reader.next();
  switch (c) {
    case 'd':
    case 'w':
    case 's':
      return shorthand_class(static_cast<char>(c), dialect);
    case 'D':
    case 'W':
    case 'S':
      return complement_of(shorthand_class(static_cast<char>(c | 32), dialect));
    case 'p':
    case 'P':
      return read_property(reader, c == 'P', at);
    case 'n':
      return uint32_t{'\n'};
    case 'r':
      return uint32_t{'\r'};
    case 't':
      return uint32_t{'\t'};
    case 'f':
      return uint32_t{'\f'};
    case 'v':
      return uint32_t{'\v'};
    case '0':
      return ecma ? 0 : read_octal(reader);
    case 'x':
      return reader.hex(2);
    case 'u':
      return read_u(reader, dialect, at);
    case 'b':
      if (in_class) return uint32_t{'\b'};
      reader.unsupported(at, "the word boundary \\b");
    case 'B':
      if (!in_class) reader.unsupported(at, "the word boundary \\B");
      break;
    case 'a':
      if (!ecma) return uint32_t{'\a'};
      break;
    case 'U':
      if (!ecma) return checked_code(reader, at, reader.hex(8));
      break;
    case 'c':
      if (ecma) return read_control(reader, at);
      break;
    case 'k':
      reader.unsupported(at, "a back-reference");
    default:
      if (c >= '1' && c <= '9' && !in_class) reader.unsupported(at, "a back-reference");
      if (!is_letter_or_digit(c)) return c;
  }
  reader.wrong_at(at, fmt::format("the escape \\{} is unknown", c < 0x80 ? static_cast<char>(c) : '?'));
}

CodePoints read_class(SourceReader& reader, RegexDialect dialect) {
  const size_t begin = reader.at() - 1;
  const bool negated = reader.take("^");
  CodePoints out;
  // Python takes a first "]" as itself; ECMAScript has empty classes.
  bool first = dialect == RegexDialect::kPython;
  const auto item = [&]() -> RegexEscape {
    if (reader.done()) reader.wrong_at(begin, "the class is not closed by \"]\"");
    for (const std::string_view posix : {"[:", "[=", "[."}) {
      if (reader.looking_at(posix)) reader.unsupported(reader.at(), "a POSIX class");
    }
    const uint32_t c = reader.next();
    return c == '\\' ? read_escape(reader, dialect, true) : RegexEscape(c);
  };
  for (; first || !reader.take("]"); first = false) {
    const size_t at = reader.at();
    const RegexEscape from = item();
    const auto* set = std::get_if<CodePoints>(&from);
    const bool range = reader.looking_at("-") && !reader.looking_at("-]");
    if (set) {
      if (range) reader.wrong_at(at, "a class is no end of a range");
      out.insert(out.end(), set->begin(), set->end());
      continue;
    }
    uint32_t last = std::get<uint32_t>(from);
    if (range) {
      reader.take("-");
      const RegexEscape to = item();
      if (!std::holds_alternative<uint32_t>(to)) reader.wrong_at(at, "a class is no end of a range");
      last = std::get<uint32_t>(to);
      if (last < std::get<uint32_t>(from)) reader.wrong_at(at, "the range ends before it begins");
    }
    out.push_back({std::get<uint32_t>(from), last});
  }
  return negated ? complement_of(out) : normalized(out);
}

}  // namespace skald
