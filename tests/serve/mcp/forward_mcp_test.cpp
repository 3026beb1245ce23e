// What a page gets of an MCP server through this one, and what that server gets of the page.
#include <gmock/gmock.h>

#include <optional>
#include <vector>

#include "serve/router.h"
#include "serve/service.h"
#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kPing = R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})";

std::string request_of(const std::string& method, const std::string& path, const std::string& headers = "",
                       const std::string& body = "") {
  return method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string message(const std::string& headers = "", const std::string& body = kPing) {
  return request_of("POST", "/mcp/tools", "Content-Type: application/json\r\n" + headers, body);
}

// An MCP server whose answers are the test's, and this server before it, which has no model.
class Bridge {
 public:
  explicit Bridge(serve::ServeOptions options = {})
      : service_(with_server(std::move(options), far_.port())),
        near_(serve::HttpOptions{.client_of = service_.options().http.client_of},
              [this](std::shared_ptr<Exchange> exchange) { serve::route(service_, std::move(exchange)); }) {}

  Parked& parked() { return parked_; }
  serve::Service& service() { return service_; }
  RunningServer& near() { return near_; }

  /// The answer to a request, after `far` has answered the one that it becomes.
  std::string ask(const std::string& request, const std::function<void(Exchange&)>& far) {
    Client client(near_);
    client.send(request);
    far(*parked_.next());
    return client.receive_answer();
  }
  std::string ask(const std::string& request, HttpAnswer far) {
    return ask(request, [&](Exchange& exchange) { exchange.send(std::move(far)); });
  }

 private:
  static serve::ServeOptions with_server(serve::ServeOptions options, int port) {
    options.log_requests = false;
    options.mcp = {{.name = "tools",
                    .url = "http://127.0.0.1:" + std::to_string(port) + "/mcp?key=hidden",
                    .headers = {"Authorization: Bearer hidden"}}};
    return options;
  }

  Parked parked_;
  RunningServer far_{{}, parked_.handler()};
  serve::Service service_;
  RunningServer near_;
};

const HttpAnswer kJson{200, {{"content-type", "application/json; charset=utf-8"}, {"mcp-session-id", "s-1"}}, "{\"a\":1}"};

TEST(ForwardMcp, GivesTheServerTheMessageItsSessionAndTheOperatorsHeaders) {
  Bridge bridge;
  const std::string headers = "Mcp-Session-Id: s-0\r\nMCP-Protocol-Version: 2025-06-18\r\nCookie: c\r\nX-Api-Key: k\r\n";
  bridge.ask(message(headers), [](Exchange& far) {
    const HttpRequest& request = far.request();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.path, "/mcp");
    EXPECT_EQ(*request.parameter("key"), "hidden");
    EXPECT_EQ(request.body, kPing);
    EXPECT_EQ(request.header("content-type"), "application/json");
    EXPECT_EQ(request.header("accept"), "application/json, text/event-stream");
    EXPECT_EQ(request.header("mcp-session-id"), "s-0");
    EXPECT_EQ(request.header("mcp-protocol-version"), "2025-06-18");
    EXPECT_EQ(request.header("authorization"), "Bearer hidden");
    for (const char* none : {"cookie", "x-api-key", "origin", "expect"}) EXPECT_EQ(request.header(none), "") << none;
    far.send(kJson);
  });
}

TEST(ForwardMcp, AnswersWithJsonAndTheSession) {
  Bridge bridge;
  const std::string answer = bridge.ask(message(), kJson);
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_THAT(answer, HasSubstr("content-type: application/json\r\n"));
  EXPECT_THAT(answer, HasSubstr("mcp-session-id: s-1\r\n"));
  EXPECT_EQ(body_of(answer), "{\"a\":1}");
  EXPECT_EQ(status_of(bridge.ask(message(), HttpAnswer{202, {}, ""})), 202);
  EXPECT_EQ(status_of(bridge.ask(request_of("DELETE", "/mcp/tools", "Mcp-Session-Id: s\r\n"), HttpAnswer{204, {}, ""})),
            204);
}

TEST(ForwardMcp, PassesAStreamOnPieceByPiece) {
  Bridge bridge;
  Client client(bridge.near());
  client.send(message());
  const auto far = bridge.parked().next();
  far->begin({200, {{"content-type", "text/event-stream"}}, "data: 1\n\n"});
  EXPECT_THAT(client.receive_until("data: 1\n\n"), HasSubstr("content-type: text/event-stream\r\n"));
  far->write("data: 2\n\n");
  client.receive_until("data: 2\n\n");
  far->end();
  EXPECT_THAT(client.receive_until("0\r\n\r\n"), Not(HasSubstr("error")));
}

TEST(ForwardMcp, ListsNamesWithoutUrlsAndHeaders) {
  Bridge bridge;
  Client client(bridge.near());
  EXPECT_EQ(body_of(client.ask(request_of("GET", "/mcp"))), R"({"servers":[{"name":"tools"}]})");
}

TEST(ForwardMcp, AsksNoOtherUrl) {
  Bridge bridge;
  Client client(bridge.near());
  for (const char* path : {"/mcp/other", "/mcp/http:%2F%2Flocalhost", "/mcp/tools/x", "/mcp/"})
    EXPECT_EQ(status_of(client.ask(request_of("POST", path, "Content-Type: application/json\r\n", kPing))), 404) << path;
  EXPECT_EQ(status_of(client.ask(request_of("GET", "/mcp/tools"))), 405);
  const std::string away = bridge.ask(message(), HttpAnswer{307, {{"location", "http://127.0.0.1:1/"}}, ""});
  EXPECT_EQ(status_of(away), 502);
  EXPECT_THAT(away, HasSubstr("leads elsewhere (307)"));
  EXPECT_EQ(bridge.parked().count(), 0U);
}

TEST(ForwardMcp, TakesJsonAlone) {
  Bridge bridge;
  Client client(bridge.near());
  EXPECT_EQ(status_of(client.ask(request_of("POST", "/mcp/tools", "Content-Type: text/plain\r\n", kPing))), 415);
  EXPECT_EQ(status_of(client.ask(request_of("POST", "/mcp/tools", "", kPing))), 415);
  EXPECT_EQ(status_of(client.ask(message("", "[1]"))), 400);
  EXPECT_EQ(status_of(client.ask(message("Mcp-Session-Id: a b\r\n"))), 400);
  EXPECT_EQ(bridge.parked().count(), 0U);
}

TEST(ForwardMcp, AsksForTheKeyAndRefusesPagesOfOtherSites) {
  Bridge open;
  Client site(open.near());
  EXPECT_EQ(status_of(site.ask(message("Origin: http://evil.example\r\n"))), 403);
  serve::ServeOptions options;
  options.api_keys = {"sesame"};
  Bridge closed(options);
  Client client(closed.near());
  EXPECT_EQ(status_of(client.ask(message())), 401);
  EXPECT_EQ(status_of(client.ask(request_of("GET", "/mcp"))), 401);
  EXPECT_EQ(status_of(closed.ask(message("X-Api-Key: sesame\r\n"), kJson)), 200);
}

TEST(ForwardMcp, SaysWhyAServerFailed) {
  Bridge bridge;
  const auto said = [&](HttpAnswer far, const std::string& headers = "") {
    return bridge.ask(message(headers), std::move(far));
  };
  const std::string refused = said({401, {}, "hidden"});
  EXPECT_EQ(status_of(refused), 502);
  EXPECT_THAT(refused, HasSubstr("tools: it wants other headers (401): see --mcp-headers"));
  EXPECT_THAT(said({400, {}, R"({"jsonrpc":"2.0","error":{"code":1,"message":"no \u0007 such"}})"}),
              HasSubstr("status 400: no \\\\x07 such"));
  EXPECT_THAT(said({500, {}, std::string(100'000, 'x')}), HasSubstr("status 500: xxx"));
  EXPECT_THAT(said({200, {{"content-type", "text/html"}}, "<p>"}), HasSubstr("neither JSON nor"));
  EXPECT_EQ(status_of(said({404, {}, ""})), 502);
  const std::string expired = said({404, {}, ""}, "Mcp-Session-Id: old\r\n");
  EXPECT_EQ(status_of(expired), 404);
  EXPECT_THAT(expired, HasSubstr("\"mcp_session\""));
  EXPECT_EQ(status_of(said({200, {{"content-type", "application/json"}}, std::string((16 << 20) + 1, '1')})), 502);
}

TEST(ForwardMcp, SaysThatAServerIsNotThere) {
  serve::ServeOptions options;
  options.log_requests = false;
  options.mcp = {{.name = "tools", .url = "http://127.0.0.1:1/mcp?key=hidden"}};
  serve::Service service(options);
  RunningServer server({}, [&](std::shared_ptr<Exchange> exchange) { serve::route(service, std::move(exchange)); });
  Client client(server);
  const std::string answer = client.ask(message());
  EXPECT_EQ(status_of(answer), 502);
  EXPECT_THAT(answer, HasSubstr("the MCP server tools: it cannot be reached: http://127.0.0.1:1"));
  EXPECT_THAT(answer, Not(HasSubstr("hidden")));
}

TEST(ForwardMcp, EndsACallThatIsSilentForTooLong) {
  serve::ServeOptions options;
  options.mcp_timeout = 1;
  Bridge bridge(options);
  Client client(bridge.near()), streaming(bridge.near());
  client.send(message());
  const auto silent = bridge.parked().next();
  streaming.send(message());
  const auto stream = bridge.parked().next();
  stream->begin({200, {{"content-type", "text/event-stream"}}, ": begun\n\n"});
  const std::string answer = client.receive_answer();
  EXPECT_EQ(status_of(answer), 504);
  EXPECT_THAT(answer, HasSubstr("tools: it sent nothing for 1 s"));
  EXPECT_THAT(streaming.receive_until(), HasSubstr("data: {\"error\":{\"message\":\"the MCP server tools: it sent nothing"));
}

TEST(ForwardMcp, EndsTheCallOfAClientThatLeaves) {
  Bridge bridge;
  Signal gone;
  std::optional<Client> client(std::in_place, bridge.near());
  client->send(message());
  const auto far = bridge.parked().next();
  far->when_gone([&] { gone.set(); });
  client.reset();
  gone.wait();
}

TEST(ForwardMcp, EndsCallsWhereTheServerIsStopped) {
  Bridge bridge;
  Client client(bridge.near());
  client.send(message());
  const auto far = bridge.parked().next();
  bridge.service().cancel_all();
  EXPECT_EQ(status_of(client.receive_answer()), 503);
}

TEST(ForwardMcp, MakesSomeCallsAtOnceAndRefusesMore) {
  Bridge bridge;
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::shared_ptr<Exchange>> calls;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<Client>(bridge.near()));
    clients.back()->send(message());
    calls.push_back(bridge.parked().next());
  }
  Client more(bridge.near());
  EXPECT_EQ(status_of(more.ask(message())), 429);
  for (const auto& call : calls) call->send(kJson);
  for (const auto& client : clients) EXPECT_EQ(status_of(client->receive_answer()), 200);
}

}  // namespace
}  // namespace skald::serve_test
