// JSON of bodies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "serve/http.h"
#include "text/chat/json_text.h"

namespace skald::serve {

using Json = nlohmann::ordered_json;

/// Reads an object, whatever Content-Type says. Throws ApiError (400) for a body that is no JSON object in UTF-8, is nested
/// deeper than 64 levels, or has numbers beyond a double or integers beyond 64 bits.
Json read_body(std::string_view body);
/// Reads a list likewise.
Json read_list(std::string_view body);

/// One line. Bytes that are no UTF-8 become U+FFFD.
std::string dump(const Json& json);

/// Returns a list of numbers.
Json bytes_json(std::string_view bytes);

HttpAnswer json_answer(const Json& json);

/// "data: JSON", an event of a stream.
std::string sse(const Json& json);
/// The same with its name.
std::string sse(std::string_view event, const Json& json);

}  // namespace skald::serve
