// The target of a request line: path and query.
#pragma once

#include <string>
#include <string_view>

#include "serve/http.h"

namespace skald::serve {

/// Puts path and query, percent-decoded, into `request`; of an absolute URL also its host, as the header "host" (RFC 9112,
/// 3.2.2). False for what is no target: other forms, and escapes that are none.
bool read_target(std::string_view target, HttpRequest& request);

}  // namespace skald::serve
