// GET /: the web page.
#include "serve/page.h"

#include "serve/api_error.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {
namespace {

void handle_page(const std::shared_ptr<RequestContext>& context) {
  if (!context->service().options().page) throw ApiError(404, "this server gives no web page: --no-webui");
  const WebPage& page = web_page();
  context->send(HttpAnswer{200,
                           {{"content-type", "text/html; charset=utf-8"},
                            {"content-security-policy", std::string(page.security_policy)},
                            {"x-content-type-options", "nosniff"},
                            {"referrer-policy", "no-referrer"},
                            {"cache-control", "no-cache"}},
                           std::string(page.html)});
}

}  // namespace
}  // namespace skald::serve

namespace skald {
extern const serve::Route route_page;
const serve::Route route_page{.method = "GET", .paths = {"/"}, .handle = serve::handle_page, .open = true, .quick = true};
}  // namespace skald
