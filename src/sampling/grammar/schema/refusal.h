// How errors about a schema read: the keyword, where it stands, and what is wrong.
#pragma once

#include <string>
#include <string_view>

#include "base/document_error.h"
#include "sampling/grammar/schema/json_document.h"

namespace skald {

/// "JSON schema: <keyword> at <pointer>: <why>".
std::string about_keyword(const JsonDocument& document, JsonId schema, std::string_view keyword, std::string_view why);

/// Makes the error that says so.
DocumentError schema_error(Errc code, const JsonDocument& document, JsonId schema, std::string_view keyword,
                           std::string_view why, std::source_location at = std::source_location::current());

/// Throws kUnsupported: the schema's keyword is valid or not, but is not enforced.
template <class... Args>
[[noreturn]] void refuse(const JsonDocument& document, JsonId schema, std::string_view keyword,
                         FormatAt<std::type_identity_t<Args>...> why, Args&&... args) {
  throw schema_error(Errc::kUnsupported, document, schema, keyword, fmt::format(why.text, std::forward<Args>(args)...),
                     why.at);
}

/// Runs `f`; an Error passing through that does not yet say where is given the keyword.
template <class F>
decltype(auto) about(const JsonDocument& document, JsonId schema, std::string_view keyword, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (std::string_view(e.what()).starts_with("JSON schema: ")) throw;
    throw schema_error(e.code(), document, schema, keyword, e.what(), e.where());
  }
}

}  // namespace skald
