// Route: one endpoint, one file of serve/routes each; the build lists them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "serve/request_context.h"

namespace skald::serve {

struct Route {
  std::string_view method;              // GET or POST
  std::vector<std::string_view> paths;  // "/v1/models/{}": {} stands for one segment
  /// Answers the request, or keeps it to answer it later. Throws ApiError, or Error for a fault of the request.
  void (*handle)(const std::shared_ptr<RequestContext>& context);
  bool open = false;    // no API key is asked for
  bool quick = false;   // answers at once, on the network's thread; others run on a worker
  bool polled = false;  // pages and monitors ask again and again: an answer of 200 is logged for debugging only
};

}  // namespace skald::serve

namespace skald {
/// Returns all routes, one per file (generated).
std::span<const serve::Route* const> serve_routes();
}  // namespace skald
