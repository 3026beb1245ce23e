// Where in a request an error about its schemas and tools is, as the client wrote it.
#pragma once

#include <string>

#include "base/document_error.h"
#include "serve/json.h"

namespace skald::serve {

/// Gives the path of what is wrong in `body`: "tools[1].function.parameters.properties.city" for a tool's schema in the form
/// of any of the APIs, else below `schema`, the path of the one schema of the request.
std::string place_of(const DocumentError& error, const Json& body, const std::string& schema);

}  // namespace skald::serve
