// How SchemaWriter writes the members of an object one by one: a call's arguments.
#include <algorithm>
#include <array>

#include "sampling/grammar/schema/has_text.h"
#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_writer.h"

namespace skald {
namespace {

// Keys that a schema does not list are arguments only if it speaks of them.
bool lists_all_keys(const JsonDocument& document, const ObjectShape& object) {
  const auto has = [&](std::string_view keyword) { return document.find(JsonDocument::kRoot, keyword) != nullptr; };
  if (!has("properties") || !object.some.empty() || object.min > std::ssize(object.properties)) return false;
  return !has("additionalProperties") && !has("patternProperties") && !has("unevaluatedProperties");
}

}  // namespace

std::optional<Piece> SchemaWriter::arguments_of(const ObjectShape& object, const MemberNotation& notation) {
  for (const Property& p : object.properties) {
    if (reader_.surely_empty(p.value) || grammar_.regexes.matches(notation.keys, spelled(p.key))) continue;
    refuse(reader_.document(), object.origin.schema, "properties", "the format of calls cannot write the key {}",
           json_quoted(p.key));
  }
  const auto planned_members = plan(object, notation);
  return planned_members ? std::optional(planned(*planned_members)) : std::nullopt;
}

RuleId SchemaWriter::arguments(FormulaId root, const MemberNotation& notation) {
  const JsonDocument& document = reader_.document();
  const Shape shape = reader_.shape(root);  // a copy: writing makes more shapes
  std::vector<Piece> ways;
  for (ObjectShape object : shape.objects) {
    if (lists_all_keys(document, object)) object.others.clear();
    about(document, object.origin.schema, reader_.keyword_at(object.origin.schema), [&] {
      for (const ObjectShape& one : settled(object)) {
        if (const auto written = arguments_of(one, notation)) ways.push_back(*written);
      }
    });
  }
  const RuleId rule = add_rule("arguments", pieces_.any_of(ways));
  define_all();
  if (!has_text(grammar_, rule)) refuse_empty("no object fits, which arguments are");
  return rule;
}

}  // namespace skald
