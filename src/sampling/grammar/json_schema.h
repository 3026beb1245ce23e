// JSON Schema (draft 2020-12) as a grammar of the JSON texts that a schema takes.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sampling/grammar/grammar.h"
#include "skald/grammar_params.h"

namespace skald {

struct SchemaOptions {
  JsonWhitespace whitespace = JsonWhitespace::kFlexible;
  std::function<void(std::string)> warn;  // hears what is ignored; may be empty
};

/// Adds the rules of the schema and makes them the start of `grammar`: every text that it takes is a valid value. Not every
/// valid text is taken: keys come in the schema's order, and values are spelled in their usual way. Throws Error (kBadInput,
/// kUnsupported) that names the keyword and where it is for what is wrong, cannot be enforced, or takes no value.
void add_json_schema(Grammar& grammar, std::string_view schema_text, const SchemaOptions& options = {});

}  // namespace skald
