#include "serve/gate.h"

#include <gtest/gtest.h>

#include "serve/api_error.h"

namespace skald::serve::gate_test {
namespace {

HttpRequest request(HttpFields headers, std::string method = "POST") {
  HttpRequest out;
  out.method = std::move(method);
  out.headers = std::move(headers);
  return out;
}

int status_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ApiError& e) {
    return e.status();
  }
  return 200;
}

TEST(Gate, TakesKeysFromBothHeaders) {
  ServeOptions options;
  options.api_keys = {"alpha", "beta"};
  const auto key = [&](HttpFields headers) { return status_of([&] { checked_key(options, request(std::move(headers))); }); };
  EXPECT_EQ(key({{"authorization", "Bearer beta"}}), 200);
  EXPECT_EQ(key({{"authorization", "bearer alpha"}}), 200);
  EXPECT_EQ(key({{"x-api-key", "alpha"}}), 200);
  for (const char* wrong : {"alph", "alphaa", "", "alpha,beta", "Bearer alpha"})
    EXPECT_EQ(key({{"authorization", std::string("Bearer ") + wrong}}), 401) << wrong;
  EXPECT_EQ(key({}), 401);
}

TEST(Gate, OwnersDifferByKeyAndAreNoKeys) {
  ServeOptions options;
  options.api_keys = {"alpha", "beta"};
  const std::string a = checked_key(options, request({{"x-api-key", "alpha"}}));
  EXPECT_NE(a, checked_key(options, request({{"x-api-key", "beta"}})));
  EXPECT_EQ(a.find("alpha"), std::string::npos);
  EXPECT_EQ(checked_key(ServeOptions{}, request({{"x-api-key", "any"}})), "");
}

TEST(Gate, HostsOfElsewhereAreRefusedOnLoopback) {
  ServeOptions options;
  options.allowed_hosts = {"skald.example"};
  const auto host = [&](const char* name) {
    return status_of([&] { check_host(options, request({{"host", name}}, "GET")); });
  };
  for (const char* good :
       {"localhost:8080", "127.0.0.1:80", "[::1]:80", "box", "a.localhost", "skald.example:1", "192.168.0.7"})
    EXPECT_EQ(host(good), 200) << good;
  EXPECT_EQ(host("evil.example"), 403);
  options.http.host = "0.0.0.0";
  EXPECT_EQ(host("evil.example"), 200) << "whoever opens the server to others is asked for keys, not names";
  options.http.host = "127.0.0.1";
  options.api_keys = {"k"};
  EXPECT_EQ(host("evil.example"), 200);
}

TEST(Gate, PagesOfOtherSitesMayNotPost) {
  ServeOptions options;
  options.cors = {"https://a.example"};
  const auto post = [&](const char* origin, const char* method = "POST") {
    return status_of([&] { check_host(options, request({{"host", "localhost:8080"}, {"origin", origin}}, method)); });
  };
  EXPECT_EQ(post("http://localhost:8080"), 200);
  EXPECT_EQ(post("https://a.example"), 200);
  EXPECT_EQ(post("https://evil.example"), 403);
  EXPECT_EQ(post("null"), 403);
  EXPECT_EQ(post("chrome-extension://x"), 200);
  EXPECT_EQ(post("https://evil.example", "GET"), 200);
}

}  // namespace
}  // namespace skald::serve::gate_test
