// POST /mcp/{name}: a message for a server of tools, of the Model Context Protocol over streamable HTTP.
#include "base/lowercase.h"
#include "serve/mcp/forward_mcp.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

// Browsers ask before they send JSON for a page of another site; other types they send at once.
void check_is_json(const HttpRequest& request) {
  const std::string type = lowercase(request.header("content-type"));
  if (type.substr(0, type.find_first_of("; ")) != "application/json")
    throw ApiError(415, "want Content-Type: application/json");
  read_body(request.body);
}

void handle_mcp_post(const std::shared_ptr<RequestContext>& context) {
  check_is_json(context->request());
  context->service().post_forward(context);
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_mcp_post;
const serve::Route route_mcp_post{.method = "POST", .paths = {"/mcp/{}"}, .handle = serve::handle_mcp_post};
}  // namespace skald
