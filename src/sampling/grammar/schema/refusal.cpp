#include "sampling/grammar/schema/refusal.h"

namespace skald {

std::string about_keyword(const JsonDocument& document, JsonId schema, std::string_view keyword, std::string_view why) {
  const std::string place = document.pointer(schema);
  return fmt::format("JSON schema: {} at {}: {}", keyword, place.empty() ? "the root" : json_quoted(place), why);
}

DocumentError schema_error(Errc code, const JsonDocument& document, JsonId schema, std::string_view keyword,
                           std::string_view why, std::source_location at) {
  return DocumentError(code, about_keyword(document, schema, keyword, why), document.pointer(schema), at);
}

}  // namespace skald
