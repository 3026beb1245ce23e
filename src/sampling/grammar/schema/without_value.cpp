// Finds the place of a schema for which the whole takes no value: what its error names.
#include "sampling/grammar/schema/schema_reader.h"

namespace skald {
namespace {

constexpr int kDeepest = 64;  // schemas may refer to themselves

}  // namespace

std::optional<SchemaPlace> SchemaReader::empty_part(const SchemaPlace& place) {
  if (!document_.is(place.schema, Kind::kObject)) return std::nullopt;
  const auto empty = [&](const SchemaPlace& part) { return surely_empty(formula(part)); };
  for (const auto& name : list(place.schema, "required")) {
    const JsonId* const properties = document_.find(place.schema, "properties");
    const JsonId* const wanted = properties ? document_.find(*properties, document_.at(name.value).text) : nullptr;
    if (!wanted) continue;
    if (const SchemaPlace part = references_.inside(place, *wanted); empty(part)) return part;
  }
  for (const auto& schema : list(place.schema, "allOf"))
    if (const SchemaPlace part = references_.inside(place, schema.value); empty(part)) return part;
  if (has(place.schema, "$ref"))
    if (const SchemaPlace part = references_.follow(place, "$ref"); empty(part)) return part;
  return std::nullopt;
}

JsonId SchemaReader::without_value() {
  SchemaPlace at = references_.root();
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::optional<SchemaPlace> inner = empty_part(at);
    if (!inner) break;
    at = *inner;
  }
  return at.schema;
}

}  // namespace skald
