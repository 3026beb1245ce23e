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

TEST(Gate, BytesAreAKeysOrAnAddresses) {
  ServeOptions options;
  options.api_keys = {"alpha"};
  const auto client = [&](const char* peer, const char* key = "") {
    HttpRequest head = request({{"x-api-key", key}});
    head.peer = peer;
    return client_of(options, head);
  };
  EXPECT_EQ(client("10.0.0.1:5", "alpha"), checked_key(options, request({{"x-api-key", "alpha"}})));
  EXPECT_EQ(client("10.0.0.1:5", "alpha"), client("10.0.0.2:6", "alpha"));
  EXPECT_EQ(client("10.0.0.1:5"), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1:5", "made up"), "10.0.0.1");  // else a client that makes keys up would be many
  EXPECT_EQ(client("[2001:db8:1:2:3::4]:5"), client("[2001:db8:1:2:ffff::]:6"));
  EXPECT_NE(client("[2001:db8:1:2::4]:5"), client("[2001:db8:1:3::4]:5"));
  EXPECT_EQ(client("unix"), "unix");
}

TEST(Gate, PagesMaySendTheHeadersThatTheyAskFor) {
  const auto allowed = [](const char* asked) {
    return allowed_headers(request({{"access-control-request-headers", asked}}, "OPTIONS"));
  };
  EXPECT_EQ(allowed("authorization,content-type, X-Stainless-OS ,x-stainless-lang"),
            "authorization, content-type, x-stainless-os, x-stainless-lang");
  EXPECT_EQ(allowed("anthropic-version,a b,c:d,\x01,,e\r\nf"), "anthropic-version");
  EXPECT_EQ(allowed(""), "authorization, content-type, x-api-key, x-request-id");
  EXPECT_EQ(allowed(" , "), "authorization, content-type, x-api-key, x-request-id");
  EXPECT_LT(allowed(std::string(60'000, ',').insert(0, "a").c_str()).size(), 1000u);
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
  EXPECT_EQ(host("evil.example"), 200) << "a server that is open to others asks for keys, not names";
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
