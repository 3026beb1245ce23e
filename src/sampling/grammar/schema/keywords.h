// The keywords of JSON Schema that hold schemas or decide anything.
#pragma once

#include <string_view>

namespace skald {

enum class Holds : uint8_t {
  kNothing,              // the keyword asserts something without schemas, or says nothing about values
  kSchema,               // a schema
  kSchemas,              // a list of schemas
  kSchemaOrList,         // either
  kNamedSchemas,         // an object whose members are schemas
  kNamedSchemasOrLists,  // the same, but some members are lists of names
};

/// What kind of value the keyword has where schemas are looked for in it.
Holds held_by(std::string_view keyword);

/// Whether the keyword can forbid any value, or refers to a schema that can.
bool is_assertion(std::string_view keyword);

}  // namespace skald
