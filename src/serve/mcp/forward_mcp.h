// One exchange of a page with a server of tools, which this server makes for it.
#pragma once

#include <chrono>
#include <functional>

#include "serve/mcp/mcp_server.h"
#include "serve/request_context.h"

namespace skald::serve {

struct McpLimits {
  std::chrono::seconds silence{300};  // without a byte of the answer
  std::chrono::seconds total{3600};
};

/// Sends a request's body, session and version to `server` and to no other URL, and answers with its answer: JSON, a stream
/// of events, or nothing. A server that fails is 502, and 504 where it takes too long; within a stream that is its last
/// event. `look` is called several times a second, and its exceptions end the request.
void forward_mcp(RequestContext& context, const McpServer& server, const McpLimits& limits,
                 const std::function<void()>& look);

}  // namespace skald::serve
