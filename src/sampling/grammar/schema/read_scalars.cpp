// What SchemaReader reads about types, listed values, numbers and strings.
#include <algorithm>
#include <array>

#include "sampling/grammar/regex_parser.h"
#include "sampling/grammar/schema/formats.h"
#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_reader.h"

namespace skald {

Shape SchemaReader::read_types(JsonId schema) {
  const JsonId* value = document_.find(schema, "type");
  Shape all = algebra_.everything();
  if (value == nullptr) return all;
  Shape out{.numbers = algebra_.numbers.none(), .arrays = {}, .objects = {}};
  const auto add = [&](JsonId name) {
    const std::string& type = document_.at(name).text;
    if (!document_.is(name, Kind::kString)) refuse(document_, schema, "type", "must be a text or a list of texts");
    if (type == "null")
      out.null = true;
    else if (type == "boolean")
      out.no = out.yes = true;
    else if (type == "number")
      out.numbers = all.numbers;
    else if (type == "integer")
      out.numbers = out.numbers == all.numbers ? all.numbers : algebra_.numbers.integers();
    else if (type == "string")
      out.strings = all.strings;
    else if (type == "array")
      out.arrays = all.arrays;
    else if (type == "object")
      out.objects = all.objects;
    else
      refuse(document_, schema, "type", "there is no type {}", json_quoted(type));
  };
  if (!document_.is(*value, Kind::kArray))
    add(*value);
  else
    std::ranges::for_each(document_.at(*value).members, add, &JsonDocument::Member::value);
  return out;
}

// Numbers and strings at once; arrays and objects one by one, their members as formulas of values.
Shape SchemaReader::shape_of_values(std::span<const JsonId> values) {
  Shape out{.numbers = algebra_.numbers.none(), .arrays = {}, .objects = {}};
  std::vector<std::string> texts;
  for (const JsonId id : values) {
    const JsonDocument::Value& value = document_.at(id);
    out.null |= value.kind == Kind::kNull;
    out.no |= value.kind == Kind::kFalse;
    out.yes |= value.kind == Kind::kTrue;
    if (value.kind == Kind::kString) texts.push_back(value.text);
    if (value.kind == Kind::kNumber) {
      const auto number = Decimal::parse(value.text);
      if (!number) fail(Errc::kUnsupported, "the number {} is not read", value.text);
      out.numbers = algebra_.numbers.either(out.numbers, algebra_.numbers.only(*number));
    }
    if (value.kind == Kind::kArray) {
      ArrayShape array{.prefix = {}, .rest = Formulas::kNever, .contains = {}, .evaluated_if = {}};
      array.min = array.max = std::ssize(value.members);
      for (const auto& item : value.members) array.prefix.push_back(algebra_.formulas.value(item.value));
      out.arrays.push_back(std::move(array));
    }
    if (value.kind == Kind::kObject) {
      ObjectShape object{.properties = {}, .others = {}, .some = {}};
      for (const auto& [key, member] : value.members)
        object.properties.push_back({.key = key, .value = algebra_.formulas.value(member), .required = true});
      out.objects.push_back(std::move(object));
    }
  }
  out.strings = algebra_.strings.texts(texts);
  return out;
}

void SchemaReader::read_listed_values(JsonId schema, Shape& shape) {
  if (has(schema, "enum")) {
    std::vector<JsonId> values;
    for (const auto& member : list(schema, "enum")) values.push_back(member.value);
    about(document_, schema, "enum", [&] { shape = algebra_.both(shape, shape_of_values(values)); });
  }
  if (const JsonId* value = document_.find(schema, "const"))
    about(document_, schema, "const", [&] { shape = algebra_.both(shape, shape_of_values(std::array{*value})); });
}

void SchemaReader::read_numbers(JsonId schema, Shape& shape) {
  read_bound(schema, shape, "minimum", "exclusiveMinimum", true);
  read_bound(schema, shape, "maximum", "exclusiveMaximum", false);
  const JsonId* value = document_.find(schema, "multipleOf");
  if (value == nullptr) return;
  const auto step = document_.is(*value, Kind::kNumber) ? Decimal::parse(document_.at(*value).text) : std::nullopt;
  if (!step || step->is_negative() || step->is_zero()) refuse(document_, schema, "multipleOf", "must be a number above 0");
  if (shape.numbers.plain == RegexSet::kNothing) return;
  about(document_, schema, "multipleOf",
        [&] { shape.numbers = algebra_.numbers.both(shape.numbers, algebra_.numbers.multiples_of(*step)); });
}

// The exclusive bound is a number of its own, or, as in draft 4, says how the other one is meant.
void SchemaReader::read_bound(JsonId schema, Shape& shape, std::string_view keyword, std::string_view exclusive,
                              bool lower) {
  const JsonId* flag = document_.find(schema, exclusive);
  const bool old = flag != nullptr && (document_.is(*flag, Kind::kTrue) || document_.is(*flag, Kind::kFalse));
  for (const std::string_view name : {keyword, exclusive}) {
    const JsonId* value = document_.find(schema, name);
    if (value == nullptr || (old && name == exclusive)) continue;
    const auto bound = document_.is(*value, Kind::kNumber) ? Decimal::parse(document_.at(*value).text) : std::nullopt;
    if (!bound) refuse(document_, schema, name, "must be a number");
    if (shape.numbers.plain == RegexSet::kNothing) continue;
    const bool or_equal = name == keyword && !(old && document_.is(*flag, Kind::kTrue));
    about(document_, schema, name, [&] {
      NumberLanguage& numbers = algebra_.numbers;
      shape.numbers =
          numbers.both(shape.numbers, lower ? numbers.at_least(*bound, or_equal) : numbers.at_most(*bound, or_equal));
    });
  }
}

RegexId SchemaReader::pattern(JsonId schema, std::string_view keyword, const std::string& expression) {
  return about(document_, schema, keyword, [&] {
    const auto spell = [&](RegexSet&, std::span<const CodePointRange> ranges) {
      return algebra_.strings.characters(ranges);
    };
    return parse_regex(regexes_, expression, {.dialect = RegexDialect::kEcma, .search = true, .spell = spell});
  });
}

void SchemaReader::read_strings(JsonId schema, Shape& shape) {
  StringLanguage& strings = algebra_.strings;
  const auto min = count(schema, "minLength"), max = count(schema, "maxLength");
  if (min || max) {
    if (max && *max < min.value_or(0))
      shape.strings = regexes_.nothing();
    else if (shape.strings != RegexSet::kNothing)
      about(document_, schema, min ? "minLength" : "maxLength",
            [&] { shape.strings = strings.both(shape.strings, strings.length(min.value_or(0), max.value_or(-1))); });
  }
  if (const JsonId* value = document_.find(schema, "pattern")) {
    if (!document_.is(*value, Kind::kString)) refuse(document_, schema, "pattern", "must be a text");
    if (shape.strings != RegexSet::kNothing)
      shape.strings = strings.both(shape.strings, pattern(schema, "pattern", document_.at(*value).text));
  }
  if (const JsonId* value = document_.find(schema, "format")) {
    if (!document_.is(*value, Kind::kString)) refuse(document_, schema, "format", "must be a text");
    if (shape.strings == RegexSet::kNothing) return;
    const std::string& name = document_.at(*value).text;
    const auto language = about(document_, schema, "format", [&] { return format_language(regexes_, strings, name); });
    if (language)
      shape.strings = strings.both(shape.strings, *language);
    else
      warn_once(fmt::format("JSON schema: format {} is not known and not enforced", json_quoted(name)));
  }
}

}  // namespace skald
