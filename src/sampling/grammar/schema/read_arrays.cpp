// What SchemaReader reads about arrays.
#include <algorithm>

#include "sampling/grammar/schema/refusal.h"
#include "sampling/grammar/schema/schema_reader.h"

namespace skald {

// prefixItems and items; or, as up to draft 2019-09, items as a list, and additionalItems.
void SchemaReader::read_items(const SchemaPlace& place, ArrayShape& array) {
  const JsonId s = place.schema;
  const JsonId* items = document_.find(s, "items");
  const bool old = items != nullptr && document_.is(*items, Kind::kArray);
  if (old && has(s, "prefixItems")) refuse(document_, s, "items", "must be a schema beside prefixItems");
  for (const auto& item : list(s, old ? "items" : "prefixItems")) array.prefix.push_back(formula_inside(place, item.value));
  const JsonId* rest = old ? document_.find(s, "additionalItems") : items;
  if (rest != nullptr) array.rest = formula_inside(place, *rest);
  if (!tracks_evaluated_) return;
  array.evaluated = array.prefix.size();
  array.all_evaluated = rest != nullptr;
}

void SchemaReader::read_arrays(const SchemaPlace& place, Shape& shape) {
  const JsonId s = place.schema;
  ArrayShape array{.prefix = {}, .contains = {}, .origin = {s}, .evaluated_if = {}};
  array.min = count(s, "minItems").value_or(0);
  array.max = count(s, "maxItems").value_or(kNoLimit);
  const JsonId* unique = document_.find(s, "uniqueItems");
  if (unique != nullptr && !document_.is(*unique, Kind::kTrue) && !document_.is(*unique, Kind::kFalse))
    refuse(document_, s, "uniqueItems", "must be true or false");
  array.unique = unique != nullptr && document_.is(*unique, Kind::kTrue);
  const auto least = count(s, "minContains"), most = count(s, "maxContains");
  if (shape.arrays.empty()) return;
  read_items(place, array);
  if (const JsonId* contains = document_.find(s, "contains")) {
    const FormulaId what = formula_inside(place, *contains);
    array.contains.push_back({.what = what, .min = least.value_or(1), .max = most.value_or(kNoLimit), .origin = {s}});
    if (tracks_evaluated_) array.evaluated_if.push_back(what);
  }
  if (!(array == algebra_.any_array())) shape.arrays = algebra_.both(shape.arrays, std::vector{array});
}

}  // namespace skald
