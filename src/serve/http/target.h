// The target of a request line: path and query.
#pragma once

#include <string>
#include <string_view>

#include "serve/http.h"

namespace skald::serve {

/// Puts path and query, percent-decoded, into `request`; of an absolute URL also its host, as the header "host" (RFC 9112,
/// 3.2.2). False for a text that is no target: other forms, and bad escapes.
bool read_target(std::string_view target, HttpRequest& request);

}  // namespace skald::serve
