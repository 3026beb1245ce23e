#include "sampling/grammar/schema/schema_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sampling/grammar/schema/keywords.h"
#include "sampling/grammar/schema/refusal.h"

namespace skald {
namespace {

constexpr size_t kMaxNesting = 300;  // of schemas that say something of the same value
constexpr int kMaxLook = 12;         // how deep members are looked into for what can be no value
constexpr int kMaxHops = 100;        // of references that say nothing else

bool asks_for_evaluated(const JsonDocument& document) {
  for (JsonId id = 0; id < document.size(); ++id) {
    if (document.find(id, "unevaluatedProperties") != nullptr || document.find(id, "unevaluatedItems") != nullptr)
      return true;
  }
  return false;
}

}  // namespace

SchemaReader::SchemaReader(RegexSet& regexes, const JsonDocument& document, std::function<void(std::string)> warn)
    : document_(document),
      warn_(std::move(warn)),
      references_(document),
      algebra_(regexes, document),
      regexes_(regexes),
      tracks_evaluated_(asks_for_evaluated(document)) {
  algebra_.surely_empty = [this](FormulaId f) { return surely_empty(f); };
}

// A schema that says nothing, or only where another one is, is none of its own.
FormulaId SchemaReader::formula(SchemaPlace place) {
  for (int hop = 0; hop < kMaxHops; ++hop) {
    if (document_.is(place.schema, Kind::kTrue)) return Formulas::kAnything;
    if (document_.is(place.schema, Kind::kFalse)) return Formulas::kNever;
    if (!document_.is(place.schema, Kind::kObject)) break;
    const std::string* only = nullptr;
    size_t asserting = 0;
    for (const auto& member : document_.at(place.schema).members) {
      if (!is_assertion(member.key)) continue;
      ++asserting;
      only = &member.key;
    }
    if (asserting == 0) return Formulas::kAnything;
    if (asserting > 1 || (*only != "$ref" && *only != "$dynamicRef" && *only != "$recursiveRef")) break;
    place = references_.follow(place, *only);
  }
  return algebra_.formulas.schema(place);
}

const Shape& SchemaReader::shape(FormulaId formula) {
  if (formula >= shapes_.size()) shapes_.resize(algebra_.formulas.size());
  if (shapes_[formula]) return *shapes_[formula];
  const Formulas::Formula& what = algebra_.formulas.at(formula);
  const JsonId schema = what.kind == Formulas::Kind::kSchema ? what.place.schema : JsonDocument::kRoot;
  if (std::ranges::find(being_made_, formula) != being_made_.end())
    refuse(document_, schema, "$ref", "the schema refers to itself without end");
  if (being_made_.size() >= kMaxNesting)
    refuse(document_, schema, "$ref", "more than {} schemas in each other say what one value is", kMaxNesting);
  being_made_.push_back(formula);
  try {
    Shape made = make(formula);
    being_made_.pop_back();
    if (formula >= shapes_.size()) shapes_.resize(algebra_.formulas.size());
    return shapes_[formula].emplace(std::move(made));
  } catch (...) {
    being_made_.pop_back();
    throw;
  }
}

Shape SchemaReader::make(FormulaId formula) {
  const Formulas::Formula what = algebra_.formulas.at(formula);  // a copy: making adds formulas
  Shape out;
  switch (what.kind) {
    case Formulas::Kind::kAnything:
      return algebra_.everything();
    case Formulas::Kind::kNever:
      return out;
    case Formulas::Kind::kSchema:
      return read(what.place);
    case Formulas::Kind::kValue:
      return shape_of_values(std::array{what.place.schema});
    case Formulas::Kind::kNot:
      return algebra_.minus(algebra_.everything(), shape(what.parts[0]));
    case Formulas::Kind::kAll:
      out = shape(what.parts[0]);
      for (size_t i = 1; i < what.parts.size(); ++i) out = algebra_.both(out, shape(what.parts[i]));
      return out;
    case Formulas::Kind::kAny:
      for (const FormulaId part : what.parts) out = algebra_.either(out, shape(part));
      return out;
  }
  return out;
}

bool SchemaReader::surely_empty(FormulaId formula) {
  if (formula <= Formulas::kNever) return formula == Formulas::kNever;
  if (formula >= empty_.size()) empty_.resize(algebra_.formulas.size());
  if (empty_[formula]) return *empty_[formula];
  if (looking_ >= kMaxLook) return false;
  empty_[formula] = false;  // for questions meanwhile: recursion is not followed
  ++looking_;
  bool empty = false;
  try {
    empty = !has_value(shape(formula));
  } catch (const Error&) {
    // What cannot be enforced is told when it is written; until then it may be anything.
  }
  --looking_;
  empty_[formula] = empty;
  return empty;
}

bool SchemaReader::has_value(const Shape& shape) {
  return shape.null || shape.no || shape.yes || shape.strings != RegexSet::kNothing || !shape.arrays.empty() ||
         !shape.objects.empty() || !regexes_.is_nothing(shape.numbers.plain);
}

std::optional<int64_t> SchemaReader::count(JsonId schema, std::string_view keyword) {
  const JsonId* value = document_.find(schema, keyword);
  if (value == nullptr) return std::nullopt;
  const auto number = document_.is(*value, Kind::kNumber) ? Decimal::parse(document_.at(*value).text) : std::nullopt;
  if (!number || !number->is_integer() || number->is_negative())
    refuse(document_, schema, keyword, "must be an integer from 0 on");
  constexpr int64_t kMost = int64_t{1} << 31;  // longer values are not written: a limit beyond says nothing else
  return std::min(number->integer().value_or(kMost), kMost);
}

std::span<const JsonDocument::Member> SchemaReader::list(JsonId schema, std::string_view keyword) {
  const JsonId* value = document_.find(schema, keyword);
  if (value == nullptr) return {};
  if (!document_.is(*value, Kind::kArray)) refuse(document_, schema, keyword, "must be a list");
  return document_.at(*value).members;
}

std::span<const JsonDocument::Member> SchemaReader::named(JsonId schema, std::string_view keyword) {
  const JsonId* value = document_.find(schema, keyword);
  if (value == nullptr) return {};
  if (!document_.is(*value, Kind::kObject)) refuse(document_, schema, keyword, "must be an object");
  return document_.at(*value).members;
}

std::string SchemaReader::keyword_at(JsonId schema, std::initializer_list<std::string_view> keywords) const {
  for (const std::string_view keyword : keywords) {
    if (has(schema, keyword)) return std::string(keyword);
  }
  for (const auto& member : document_.at(schema).members) {
    if (is_assertion(member.key)) return member.key;
  }
  return document_.is(schema, Kind::kFalse) ? "false" : "the schema";
}

void SchemaReader::warn_once(std::string text) {
  if (warn_ && warned_.insert(text).second) warn_(std::move(text));
}

// Refuses what is no schema, and keywords of old drafts that ask for something which today's readers would overlook.
void SchemaReader::check(const SchemaPlace& place) {
  const JsonId s = place.schema;
  if (!document_.is(s, Kind::kObject)) {
    const auto& parent = document_.at(document_.at(s).parent);
    const std::string& key = s == JsonDocument::kRoot ? std::string() : parent.members[document_.at(s).place].key;
    refuse(document_, s, key.empty() ? "the value" : key, "a schema must be an object, true or false");
  }
  for (const std::string_view keyword : {"disallow", "divisibleBy", "extends"}) {
    if (has(s, keyword)) refuse(document_, s, keyword, "is of draft 3, and not read");
  }
  if (const JsonId* nullable = document_.find(s, "nullable"); nullable != nullptr && document_.is(*nullable, Kind::kTrue))
    warn_once(about_keyword(document_, s, "nullable",
                            "is no keyword of JSON Schema: null is taken only where type or enum has it"));
}

Shape SchemaReader::read(const SchemaPlace& place) {
  check(place);
  Shape out = joined(place, read_assertions(place));
  read_choices(place, out);
  read_condition(place, out);
  read_dependencies(place, out);
  if (const JsonId* no = document_.find(place.schema, "not"))
    about(document_, place.schema, "not", [&] { out = algebra_.minus(out, shape_inside(place, *no)); });
  read_unevaluated(place, out);
  return out;
}

Shape SchemaReader::read_assertions(const SchemaPlace& place) {
  Shape out = read_types(place.schema);
  read_numbers(place.schema, out);
  read_strings(place.schema, out);
  read_arrays(place, out);
  read_objects(place, out);
  read_listed_values(place.schema, out);
  return out;
}

}  // namespace skald
