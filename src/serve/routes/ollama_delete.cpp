// DELETE of ollama's endpoints that change which models there are: models are the operator's here.
#include "serve/route.h"

namespace skald::serve {
namespace {

void refuse_delete(const std::shared_ptr<RequestContext>&) {
  throw ApiError(501, "this server does not change its models: use skald pull and skald rm");
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_ollama_delete;
const serve::Route route_ollama_delete{
    .method = "DELETE", .paths = {"/api/delete"}, .handle = serve::refuse_delete, .quick = true};
}  // namespace skald
