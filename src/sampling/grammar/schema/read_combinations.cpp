// What SchemaReader reads about schemas that say something of the same value.
#include <algorithm>
#include <array>

#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_reader.h"

namespace skald {

// References and allOf, in the document's order around `properties`: so that keys keep it.
Shape SchemaReader::joined(const SchemaPlace& place, Shape own) {
  std::vector<const Shape*> before, after;
  bool seen = !has(place.schema, "properties");
  for (const auto& [key, value] : document_.at(place.schema).members) {
    seen |= key == "properties";
    std::vector<const Shape*>& parts = seen ? after : before;
    if (key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef")
      parts.push_back(&shape(formula(references_.follow(place, key))));
    if (key != "allOf") continue;
    for (const auto& part : list(place.schema, "allOf")) parts.push_back(&shape_inside(place, part.value));
  }
  if (before.empty() && after.empty()) return own;
  return about(document_, place.schema, has(place.schema, "allOf") ? "allOf" : "$ref", [&] {
    for (auto it = before.rbegin(); it != before.rend(); ++it) own = algebra_.both(**it, own);
    for (const Shape* part : after) own = algebra_.both(own, *part);
    return std::move(own);
  });
}

// Where evaluated members matter, so does whether several schemas take a value: all of those evaluate.
Shape SchemaReader::any_of(const SchemaPlace& place, const Shape& context, std::span<const JsonDocument::Member> schemas) {
  Shape out{.numbers = algebra_.numbers.none(), .arrays = {}, .objects = {}};
  for (const auto& member : schemas) {
    const Shape one = algebra_.both(context, shape_inside(place, member.value));
    const Shape more = tracks_evaluated_ ? algebra_.either(one, algebra_.both(out, one)) : one;
    out = algebra_.either(out, more);
  }
  return out;
}

void SchemaReader::read_choices(const SchemaPlace& place, Shape& shape) {
  const JsonId s = place.schema;
  if (has(s, "anyOf")) about(document_, s, "anyOf", [&] { shape = any_of(place, shape, list(s, "anyOf")); });
  if (!has(s, "oneOf")) return;
  about(document_, s, "oneOf", [&] {
    std::vector<Shape> ways;
    for (const auto& member : list(s, "oneOf")) ways.push_back(algebra_.both(shape, shape_inside(place, member.value)));
    shape = algebra_.exactly_one(ways);
  });
}

// Without `then` or `else` a value need not be told apart from those that `if` takes, unless evaluated members matter.
void SchemaReader::read_condition(const SchemaPlace& place, Shape& shape) {
  const JsonId s = place.schema;
  const JsonId *condition = document_.find(s, "if"), *then = document_.find(s, "then"),
               *otherwise = document_.find(s, "else");
  if (condition == nullptr || (then == nullptr && otherwise == nullptr && !tracks_evaluated_)) return;
  about(document_, s, "if", [&] {
    const Shape& test = shape_inside(place, *condition);
    const Shape yes = then != nullptr ? algebra_.both(shape, shape_inside(place, *then)) : shape;
    const Shape no = otherwise != nullptr ? algebra_.both(shape, shape_inside(place, *otherwise)) : shape;
    const bool skip_test = otherwise == nullptr && !tracks_evaluated_, skip_rest = then == nullptr && !tracks_evaluated_;
    shape = algebra_.either(skip_test ? yes : algebra_.both(yes, test), skip_rest ? no : algebra_.minus(no, test));
  });
}

// dependentRequired, dependentSchemas, and dependencies, which up to draft 7 were both.
void SchemaReader::read_dependencies(const SchemaPlace& place, Shape& shape) {
  const JsonId s = place.schema;
  for (const std::string_view keyword : {"dependentRequired", "dependentSchemas", "dependencies"}) {
    for (const auto& [key, value] : named(s, keyword)) {
      ObjectShape without = algebra_.any_object(), with = algebra_.any_object();
      without.properties.push_back({.key = key, .value = Formulas::kNever, .listed = false});
      with.properties.push_back({.key = key, .required = true, .listed = false});
      without.origin = with.origin = {s};
      Shape met = shape;
      if (document_.is(value, Kind::kArray) && keyword != "dependentSchemas") {
        for (const auto& name : document_.at(value).members) {
          if (!document_.is(name.value, Kind::kString)) refuse(document_, s, keyword, "must have lists of texts");
          const std::string& other = document_.at(name.value).text;
          if (other != key) with.properties.push_back({.key = other, .required = true, .listed = false});
        }
      } else if (keyword == "dependentRequired") {
        refuse(document_, s, keyword, "must have lists of texts");
      }
      about(document_, s, keyword, [&] {
        std::vector<ObjectShape> ways = algebra_.both(shape.objects, std::vector{without});
        std::vector<ObjectShape> bound = algebra_.both(shape.objects, std::vector{with});
        if (!document_.is(value, Kind::kArray)) bound = algebra_.both(bound, shape_inside(place, value).objects);
        ways.insert(ways.end(), bound.begin(), bound.end());
        shape.objects = std::move(ways);
      });
    }
  }
}

// What no other keyword of the schema, and of schemas for the same value, has evaluated.
void SchemaReader::read_unevaluated(const SchemaPlace& place, Shape& shape) {
  Formulas& formulas = algebra_.formulas;
  if (const JsonId* value = document_.find(place.schema, "unevaluatedItems")) {
    const FormulaId left = formula_inside(place, *value);
    std::vector<ArrayShape> arrays;
    for (ArrayShape& a : shape.arrays) {
      if (!a.all_evaluated) {
        std::vector<FormulaId> ways = a.evaluated_if;
        ways.push_back(left);
        const FormulaId wanted = formulas.any(ways);
        while (a.prefix.size() < a.evaluated) a.prefix.push_back(a.rest);
        for (size_t i = a.evaluated; i < a.prefix.size(); ++i) a.prefix[i] = formulas.all(a.prefix[i], wanted);
        a.rest = formulas.all(a.rest, wanted);
        a.all_evaluated = true;
      }
      arrays.push_back(std::move(a));
    }
    shape.arrays = algebra_.both(arrays, std::vector{algebra_.any_array()});
  }
  if (const JsonId* value = document_.find(place.schema, "unevaluatedProperties")) {
    const FormulaId left = formula_inside(place, *value);
    for (ObjectShape& o : shape.objects) {
      for (Property& p : o.properties) {
        if (!regexes_.matches(o.evaluated, spelled(p.key))) p.value = formulas.all(p.value, left);
      }
      std::vector<KeyClass> classes;
      for (const KeyClass& c : o.others) {
        const RegexId in = algebra_.strings.both(c.keys, o.evaluated), out = algebra_.strings.minus(c.keys, o.evaluated);
        if (in != RegexSet::kNothing) classes.push_back({in, c.value});
        const FormulaId value_out = formulas.all(c.value, left);
        if (out != RegexSet::kNothing && value_out != Formulas::kNever) classes.push_back({out, value_out});
      }
      o.others = std::move(classes);
      o.evaluated = algebra_.strings.all();
    }
    shape.objects = algebra_.both(shape.objects, std::vector{algebra_.any_object()});
  }
}

}  // namespace skald
