// Router: finds the route of a request, and whether the client may use it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"
#include "serve/route.h"
#include "serve/service.h"

namespace skald::serve {

/// A path that fits a pattern.
struct RouteMatch {
  const Route* route = nullptr;
  std::string_view pattern = {};
  std::string part = {};  // the text for "{}"
};

/// Of all routes those whose patterns the path fits, of any method.
std::vector<RouteMatch> routes_for(std::string_view path);

/// Answers a request, on the network's thread: at once on a quick route, else on a worker.
void route(Service& service, std::shared_ptr<Exchange> exchange);

}  // namespace skald::serve
