#include "sampling/grammar/json_schema.h"

#include "sampling/grammar/schema/json_document.h"
#include "sampling/grammar/schema/schema_reader.h"
#include "sampling/grammar/schema/schema_writer.h"

namespace skald {

void add_json_schema(Grammar& grammar, std::string_view schema_text, const SchemaOptions& options) {
  const JsonDocument document(schema_text);
  SchemaReader reader(grammar.regexes, document, options.warn);
  const ValueNotation json = json_notation(grammar.regexes, reader.algebra().strings, options.whitespace);
  SchemaWriter(grammar, reader, json).write(reader.root());
}

}  // namespace skald
