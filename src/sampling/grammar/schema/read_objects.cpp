// What SchemaReader reads about objects.
#include <algorithm>
#include <array>

#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_reader.h"

namespace skald {
namespace {

constexpr size_t kMaxPatternClasses = 256;  // of keys: patterns that overlap in all ways are 2^n

}  // namespace

// Keys fall into classes by the patterns that they match. additionalProperties is for those that match none and are not
// listed.
void SchemaReader::read_properties(const SchemaPlace& place, ObjectShape& object) {
  const JsonId s = place.schema;
  StringLanguage& strings = algebra_.strings;
  struct Class {
    RegexId keys;
    FormulaId value;
    bool matched;
  };
  std::vector<Class> classes{{strings.all(), Formulas::kAnything, false}};
  for (const auto& member : named(s, "patternProperties")) {
    const RegexId keys = pattern(s, "patternProperties", member.key);
    const FormulaId value = formula_inside(place, member.value);
    std::vector<Class> split;
    for (const Class& c : classes) {
      const RegexId in = strings.both(c.keys, keys), out = strings.minus(c.keys, keys);
      if (in != RegexSet::kNothing) split.push_back({in, algebra_.formulas.all(c.value, value), true});
      if (out != RegexSet::kNothing) split.push_back({out, c.value, c.matched});
    }
    if (split.size() > kMaxPatternClasses)
      refuse(document_, s, "patternProperties", "the patterns overlap in too many ways");
    classes = std::move(split);
  }
  const auto class_of = [&](const std::string& key) -> const Class& {
    return classes.size() == 1
               ? classes[0]
               : *std::ranges::find_if(classes, [&](const Class& c) { return regexes_.matches(c.keys, spelled(key)); });
  };
  std::vector<std::string> listed;
  for (const auto& member : named(s, "properties")) {
    const FormulaId value = algebra_.formulas.all(formula_inside(place, member.value), class_of(member.key).value);
    object.properties.push_back({.key = member.key, .value = value});
    listed.push_back(member.key);
  }
  const JsonId* additional = document_.find(s, "additionalProperties");
  const FormulaId others = additional != nullptr ? formula_inside(place, *additional) : Formulas::kAnything;
  std::vector<RegexId> evaluated;
  for (Class& c : classes) {
    if (!c.matched) c.value = others;
    if (c.value != Formulas::kNever) object.others.push_back({c.keys, c.value});
    if (c.matched || additional != nullptr) evaluated.push_back(c.keys);
  }
  if (!tracks_evaluated_) return;
  evaluated.push_back(strings.texts(listed));
  object.evaluated = additional != nullptr ? strings.all() : regexes_.any_of(evaluated);
}

void SchemaReader::read_property_names(const SchemaPlace& place, ObjectShape& object) {
  const JsonId* names = document_.find(place.schema, "propertyNames");
  if (names == nullptr) return;
  const RegexId allowed =
      about(document_, place.schema, "propertyNames", [&] { return shape_inside(place, *names).strings; });
  for (Property& p : object.properties) {
    if (allowed != algebra_.strings.all() && !regexes_.matches(allowed, spelled(p.key))) p.value = Formulas::kNever;
  }
  for (KeyClass& c : object.others) c.keys = algebra_.strings.both(c.keys, allowed);
  std::erase_if(object.others, [](const KeyClass& c) { return c.keys == RegexSet::kNothing; });
}

// A list of keys; in draft 3, true in the schema of a property.
void SchemaReader::read_required(JsonId schema, ObjectShape& object) {
  const auto require = [&](const std::string& key) {
    const auto it = std::ranges::find(object.properties, key, &Property::key);
    if (it != object.properties.end())
      it->required = true;
    else
      object.properties.push_back({.key = key, .value = algebra_.value_of(object, key), .required = true, .listed = false});
  };
  for (const auto& member : named(schema, "properties")) {
    const JsonId* flag = document_.find(member.value, "required");
    if (flag != nullptr && document_.is(*flag, Kind::kTrue)) require(member.key);
  }
  const JsonId* value = document_.find(schema, "required");
  if (value == nullptr || document_.is(*value, Kind::kTrue) || document_.is(*value, Kind::kFalse)) return;
  for (const auto& member : list(schema, "required")) {
    if (!document_.is(member.value, Kind::kString)) refuse(document_, schema, "required", "must be a list of texts");
    require(document_.at(member.value).text);
  }
}

void SchemaReader::read_objects(const SchemaPlace& place, Shape& shape) {
  const JsonId s = place.schema;
  ObjectShape object{.properties = {}, .others = {}, .origin = {s}, .some = {}};
  object.min = count(s, "minProperties").value_or(0);
  object.max = count(s, "maxProperties").value_or(kNoLimit);
  if (shape.objects.empty()) return;
  read_properties(place, object);
  read_property_names(place, object);
  read_required(s, object);
  if (!(object == algebra_.any_object())) shape.objects = algebra_.both(shape.objects, std::vector{object});
}

}  // namespace skald
