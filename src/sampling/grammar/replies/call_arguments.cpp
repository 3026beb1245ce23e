#include "sampling/grammar/replies/call_arguments.h"

#include <array>

#include "sampling/grammar/json_escapes.h"
#include "sampling/grammar/replies/call_template.h"
#include "sampling/grammar/replies/text_values.h"
#include "sampling/grammar/schema/schema_writer.h"

namespace skald {
namespace {

using Values = CallShape::Values;

constexpr std::string_view kGemmaQuote = "<|\"|>";
constexpr uint8_t kOtherKinds = kNumberKind | kBoolKind | kNullKind | kObjectKind | kArrayKind;

// What JSON calls the kinds of values.
struct NamedKind {
  std::string_view name;
  uint8_t kind;
};
constexpr NamedKind kTypes[] = {{"string", kTextKind}, {"number", kNumberKind}, {"boolean", kBoolKind},
                                {"null", kNullKind},   {"object", kObjectKind}, {"array", kArrayKind}};

// The tag, or another mark up to the end of its line, that a text begins with.
std::string_view first_mark(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return text.substr(0, std::min(text.find_first_of(">\n"), text.size() - 1) + 1);
}

class ArgumentWriter {
 public:
  ArgumentWriter(Grammar& grammar, const MarkerSpelling& markers, const CallShape& shape, const ToolSchema& tool,
                 const ReplyTools& kinds, const CallOptions& options)
      : grammar_(grammar),
        markers_(markers),
        shape_(shape),
        tool_(tool),
        kinds_(kinds),
        document_(tool.parameters),
        reader_(grammar.regexes, document_, warnings(options)),
        writer_(grammar, reader_, notation(options)),
        texts_(grammar, reader_, writer_,
               {first_mark(text_behind(shape.argument, "VALUE")), first_mark(template_head(shape.argument)),
                first_mark(text_behind(shape.call, "ARGUMENTS"))}) {}

  RuleId write() {
    if (shape_.argument.empty()) return object();
    Pieces& pieces = writer_.pieces();
    const auto member = [this](const std::string* key, RegexId keys, FormulaId of) { return argument(key, keys, of); };
    return writer_.arguments(reader_.root(),
                             {.comma = pieces.text(shape_.comma), .gap = pieces.empty(), .keys = keys(), .member = member});
  }

 private:
  std::function<void(std::string)> warnings(const CallOptions& options) const {
    if (!options.warn) return {};
    return [warn = options.warn, name = tool_.name](const std::string& text) { warn("tool \"" + name + "\": " + text); };
  }

  ValueNotation notation(const CallOptions& options) {
    RegexSet& regexes = grammar_.regexes;
    StringLanguage& strings = reader_.algebra().strings;
    if (shape_.values == Values::kPython) return python_notation(regexes, strings);
    if (shape_.values != Values::kGemma) return json_notation(regexes, strings, options.whitespace);
    return gemma_notation(regexes, strings, regexes.literal(markers_.spelled(kGemmaQuote).text), kGemmaQuote);
  }

  RuleId object() {
    const RuleId members = writer_.arguments(reader_.root(), writer_.members());
    const RuleId rule = grammar_.add_rule("arguments object");
    RegexSet& regexes = grammar_.regexes;
    const RegexId open = regexes.concat(std::array{regexes.literal("{"), writer_.notation().gap});
    grammar_.define(rule, grammar_.sequence(std::array{grammar_.terminal(open), grammar_.rule(members),
                                                       grammar_.terminal(regexes.literal("}"))}));
    return rule;
  }

  // Keys that can be written, as StringLanguage spells them: what needs an escape there is never one.
  RegexId keys() {
    RegexSet& regexes = grammar_.regexes;
    if (shape_.values == Values::kText) return bare_text(regexes, "<>\"&\\");
    if (shape_.values == Values::kGemma) return bare_text(regexes, ":,{}[]<>\"\\");
    const ByteSet letters = ByteSet::range('a', 'z') | ByteSet::range('A', 'Z') | ByteSet::one('_');
    const RegexId more = regexes.repeat(regexes.bytes(letters | ByteSet::range('0', '9')), 0, -1);
    return regexes.concat(std::array{regexes.bytes(letters), more});
  }

  Piece argument(const std::string* key, RegexId keys, FormulaId of) {
    std::vector<Piece> ways;
    const bool names_type = shape_.argument.find("$TYPE") != std::string_view::npos;
    if (names_type) {
      for (const auto& [name, kind] : kTypes)
        ways.push_back(filled(keys, name, kind == kTextKind ? texts_.text(of) : texts_.other(of, kind)));
    } else if (shape_.argument.find("$STRING") != std::string_view::npos) {
      ways.push_back(filled(keys, "true", texts_.text(of)));
      ways.push_back(filled(keys, "false", texts_.other(of, kOtherKinds)));
    } else if (shape_.values == Values::kText) {
      ways.push_back(filled(keys, {}, texts_.value(of, key ? kinds_.kinds(tool_.name, *key) : uint8_t{kNoKind})));
    } else {
      ways.push_back(filled(keys, {}, writer_.value(of)));
    }
    return writer_.pieces().any_of(ways);
  }

  Piece filled(RegexId keys, std::string_view told, const Piece& value) {
    Pieces& pieces = writer_.pieces();
    std::vector<Piece> parts;
    for (const TemplatePart& part : template_parts(shape_.argument)) {
      if (!part.variable)
        parts.push_back(pieces.text(markers_.spelled(part.text).text));
      else if (part.text == "KEY")
        parts.push_back(pieces.regex(keys));
      else
        parts.push_back(part.text == "VALUE" ? value : pieces.text(told));
    }
    return pieces.sequence(parts);
  }

  Grammar& grammar_;
  const MarkerSpelling& markers_;
  const CallShape& shape_;
  const ToolSchema& tool_;
  const ReplyTools& kinds_;
  JsonDocument document_;
  SchemaReader reader_;
  SchemaWriter writer_;
  TextValues texts_;
};

}  // namespace

RuleId add_call_arguments(Grammar& grammar, const MarkerSpelling& markers, const CallShape& shape, const ToolSchema& tool,
                          const ReplyTools& kinds, const CallOptions& options) {
  return ArgumentWriter(grammar, markers, shape, tool, kinds, options).write();
}

}  // namespace skald
