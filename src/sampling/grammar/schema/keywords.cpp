#include "sampling/grammar/schema/keywords.h"

#include <algorithm>

namespace skald {
namespace {

constexpr std::string_view kSchema[] = {
    "additionalItems",  "additionalProperties", "contains", "contentSchema", "else", "if", "not", "propertyNames", "then",
    "unevaluatedItems", "unevaluatedProperties"};
constexpr std::string_view kSchemas[] = {"allOf", "anyOf", "oneOf", "prefixItems"};
constexpr std::string_view kNamedSchemas[] = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"};
constexpr std::string_view kAsserts[] = {"$dynamicRef",
                                         "$recursiveRef",
                                         "$ref",
                                         "additionalItems",
                                         "additionalProperties",
                                         "allOf",
                                         "anyOf",
                                         "const",
                                         "contains",
                                         "dependencies",
                                         "dependentRequired",
                                         "dependentSchemas",
                                         "disallow",
                                         "divisibleBy",
                                         "enum",
                                         "exclusiveMaximum",
                                         "exclusiveMinimum",
                                         "extends",
                                         "format",
                                         "if",
                                         "items",
                                         "maxItems",
                                         "maxLength",
                                         "maxProperties",
                                         "maximum",
                                         "minItems",
                                         "minLength",
                                         "minProperties",
                                         "minimum",
                                         "multipleOf",
                                         "not",
                                         "oneOf",
                                         "pattern",
                                         "patternProperties",
                                         "prefixItems",
                                         "properties",
                                         "propertyNames",
                                         "required",
                                         "type",
                                         "unevaluatedItems",
                                         "unevaluatedProperties",
                                         "uniqueItems"};

}  // namespace

Holds held_by(std::string_view keyword) {
  const auto in = [&](const auto& list) { return std::ranges::find(list, keyword) != std::end(list); };
  if (in(kSchema)) return Holds::kSchema;
  if (in(kSchemas)) return Holds::kSchemas;
  if (in(kNamedSchemas)) return Holds::kNamedSchemas;
  if (keyword == "items") return Holds::kSchemaOrList;
  return keyword == "dependencies" ? Holds::kNamedSchemasOrLists : Holds::kNothing;
}

bool is_assertion(std::string_view keyword) { return std::ranges::find(kAsserts, keyword) != std::end(kAsserts); }

}  // namespace skald
