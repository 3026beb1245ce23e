// DELETE /mcp/{name}: the end of a session with a server of tools.
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_mcp_delete(const std::shared_ptr<RequestContext>& context) { context->service().post_forward(context); }

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_mcp_delete;
const serve::Route route_mcp_delete{
    .method = "DELETE", .paths = {"/mcp/{}"}, .handle = serve::handle_mcp_delete, .quick = true};
}  // namespace skald
