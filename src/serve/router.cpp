#include "serve/router.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include "serve/gate.h"

namespace skald::serve {
namespace {

constexpr std::string_view kPart = "{}";

std::optional<std::string> fit(std::string_view pattern, std::string_view path) {
  const size_t at = pattern.find(kPart);
  if (at == std::string_view::npos) return pattern == path ? std::optional<std::string>("") : std::nullopt;
  const std::string_view before = pattern.substr(0, at), after = pattern.substr(at + kPart.size());
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) return {};
  const std::string_view part = path.substr(before.size(), path.size() - before.size() - after.size());
  return part.find('/') == std::string_view::npos ? std::optional<std::string>(part) : std::nullopt;
}

std::string allowed_methods(const std::vector<RouteMatch>& matches) {
  std::set<std::string> methods{"OPTIONS"};
  for (const RouteMatch& match : matches) {
    methods.emplace(match.route->method);
    if (match.route->method == "GET") methods.emplace("HEAD");
  }
  return fmt::format("{}", fmt::join(methods, ", "));
}

const RouteMatch* with_method(const std::vector<RouteMatch>& matches, std::string_view method) {
  const auto found = std::ranges::find_if(
      matches, [&](const RouteMatch& m) { return m.route->method == (method == "HEAD" ? "GET" : method); });
  return found == matches.end() ? nullptr : &*found;
}

void answer_options(RequestContext& context, const std::vector<RouteMatch>& matches) {
  HttpAnswer out{204, {{"allow", allowed_methods(matches)}}, {}};
  if (may_read(context.service().options(), context.request())) {
    out.headers.emplace_back("access-control-allow-methods", allowed_methods(matches));
    out.headers.emplace_back("access-control-allow-headers", allowed_headers(context.request()));
    out.headers.emplace_back("access-control-max-age", "600");
  }
  context.send(std::move(out));
}

void dispatch(const std::shared_ptr<RequestContext>& context, const std::vector<RouteMatch>& matches) {
  const HttpRequest& request = context->request();
  const ServeOptions& options = context->service().options();
  check_host(options, request);
  if (matches.empty()) throw ApiError(404, "there is no such endpoint");
  if (request.method == "OPTIONS") return answer_options(*context, matches);
  const RouteMatch* match = with_method(matches, request.method);
  if (!match) {
    HttpAnswer out =
        error_answer(ApiError(405, "this endpoint does not take " + request.method), dialect_of(request.path), request.id);
    out.headers.emplace_back("allow", allowed_methods(matches));
    return context->send(std::move(out));
  }
  if (context->service().draining()) {
    ApiError error(503, "the server is being stopped");
    error.retry = false;
    throw error;
  }
  if (!match->route->open) context->owner = checked_key(options, request);
  context->part = match->part;
  context->polled = match->route->polled;
  if (match->route->quick) return match->route->handle(context);
  const auto bytes = static_cast<int64_t>(request.body.size());
  context->service().post_work(
      context, [route = match->route, context] { route->handle(context); }, bytes);
}

}  // namespace

std::vector<RouteMatch> routes_for(std::string_view path) {
  std::vector<RouteMatch> out;
  for (const Route* route : serve_routes())
    for (const std::string_view pattern : route->paths)
      if (std::optional<std::string> part = fit(pattern, path)) out.push_back({route, pattern, std::move(*part)});
  // "/models/load" is no model.
  const auto is_path = [&](const RouteMatch& match) { return match.pattern == path; };
  if (std::ranges::any_of(out, is_path)) std::erase_if(out, std::not_fn(is_path));
  return out;
}

void route(Service& service, std::shared_ptr<Exchange> exchange) {
  const std::vector<RouteMatch> matches = routes_for(exchange->request().path);
  const auto context =
      std::make_shared<RequestContext>(service, std::move(exchange), matches.empty() ? "other" : matches.front().pattern);
  try {
    dispatch(context, matches);
  } catch (const std::exception& e) {
    context->give_up(e);
  }
}

}  // namespace skald::serve
