#include "serve/router.h"

#include <gtest/gtest.h>

#include <set>

namespace skald::serve::router_test {
namespace {

TEST(Router, FindsRoutesByPatterns) {
  const auto pattern = [](std::string_view path) {
    const std::vector<RouteMatch> found = routes_for(path);
    return found.empty() ? std::string() : std::string(found.front().pattern);
  };
  EXPECT_EQ(pattern("/v1/chat/completions"), "/v1/chat/completions");
  EXPECT_EQ(pattern("/v1/models/some-model"), "/v1/models/{}");
  EXPECT_EQ(routes_for("/v1/models/some-model").front().part, "some-model");
  for (const RouteMatch& match : routes_for("/models/load")) EXPECT_EQ(match.pattern, "/models/load");
  for (const char* none : {"/nothing", "/v1/models/", "/v1/models/a/b", "/v1/completions/x", "", "/../etc/passwd"})
    EXPECT_EQ(pattern(none), "") << none;
}

TEST(Router, NoTwoRoutesTakeTheSameRequest) {
  std::set<std::string> seen;
  for (const Route* route : serve_routes())
    for (const std::string_view path : route->paths)
      EXPECT_TRUE(seen.insert(std::string(route->method) + " " + std::string(path)).second) << path;
  EXPECT_GT(seen.size(), 40u);
}

TEST(Router, HealthAloneNeedsNoKey) {
  std::set<std::string_view> open;
  for (const Route* route : serve_routes())
    if (route->open) open.insert(route->paths.begin(), route->paths.end());
  EXPECT_TRUE(open.contains("/health"));
  for (const std::string_view path : {"/metrics", "/props", "/v1/models", "/slots"})
    EXPECT_FALSE(open.contains(path)) << path;
}

}  // namespace
}  // namespace skald::serve::router_test
