// GET /mcp: the names of the servers of tools that pages may call.
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_mcp_list(const std::shared_ptr<RequestContext>& context) {
  Json servers = Json::array();
  for (const McpServer& server : context->service().options().mcp) servers.push_back({{"name", server.name}});
  context->send(Json{{"servers", servers}});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_mcp;
const serve::Route route_mcp{.method = "GET", .paths = {"/mcp"}, .handle = serve::handle_mcp_list, .quick = true};
}  // namespace skald
