// Bytes that are no request, and requests that are too much.
#include <gmock/gmock.h>
#include <netinet/in.h>

#include <random>

#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

using ::testing::HasSubstr;

const std::string kPost = "POST /v1 HTTP/1.1\r\nHost: x\r\n";

HttpOptions small_limits() {
  HttpOptions options;
  options.max_line = 100;
  options.max_header = 1000;
  options.max_fields = 10;
  options.max_body = 1000;
  return options;
}

struct Case {
  std::string request;
  int status;
  std::string says;  // a part of the answer
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.request.substr(0, 80); }

class Refusals : public ::testing::TestWithParam<Case> {};

TEST_P(Refusals, NameWhatIsWrongAndClose) {
  RunningServer server(small_limits());
  Client client(server);
  client.send(GetParam().request);
  const std::string answer = client.receive_until();
  EXPECT_EQ(status_of(answer), GetParam().status) << answer;
  EXPECT_THAT(answer, HasSubstr(GetParam().says));
  EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\nx-request-id: "));
}

std::string fields(int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += "A: b\r\n";
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Refusals,
    ::testing::Values(
        Case{"GET /" + std::string(100, 'a') + " HTTP/1.1\r\n", 414, "request line over 100 bytes"},
        Case{"GET /" + std::string(5000, 'a'), 414, "request line over 100 bytes"},
        Case{kPost + fields(10) + "\r\n", 431, "refused POST /v1: over 10 fields"},
        Case{kPost + "A: " + std::string(1000, 'b'), 431, "refused POST /v1: header over 1000 bytes"},
        Case{"GET\r\n\r\n", 400, "request line"}, Case{"GET /a\r\n\r\n", 400, "request line"},
        Case{"GET  /a HTTP/1.1\r\n\r\n", 400, "request line"}, Case{"GET /a b HTTP/1.1\r\n\r\n", 400, "request line"},
        Case{" /a HTTP/1.1\r\n\r\n", 400, "request line"}, Case{"GET /a HTTQ/1.1\r\n\r\n", 400, "request line"},
        Case{"GET /a HTTP/9.9\r\n\r\n", 400, "HTTP/9.9 is no version"},
        Case{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "HTTP/2.0"},
        Case{"G@T /a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad method"},
        Case{"GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "target"},
        Case{"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "target"},
        Case{"GET /%a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "target"},
        Case{"GET /?a=%f HTTP/1.1\r\nHost: x\r\n\r\n", 400, "target"},
        Case{"{\"prompt\": \"x\"}\r\n\r\n", 400, "request line"}, Case{"\r\n\r\n\r\n", 400, "request line"},
        Case{std::string("\x16\x03\x01\x02", 4), 400, "control character 0x16"},
        Case{"GET / HTTP/1.1\nHost: x\n\n", 400, "CR LF"}, Case{"GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n", 400, "CR LF"},
        Case{"GET / HTTP/1.1\r\r\nHost: x\r\n\r\n", 400, "CR LF"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, Refusals,
    ::testing::Values(Case{std::string("GET / HTTP/1.1\r\nA\0B: c\r\n\r\n", 25), 400, "control character 0x00"},
                      Case{"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400, "malformed"},
                      Case{"GET / HTTP/1.1\r\nHost: x\r\n: empty\r\n\r\n", 400, "malformed"},
                      Case{"GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400, "malformed"},
                      Case{"GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", 400, "second line"},
                      Case{"GET / HTTP/1.1\r\n\r\n", 400, "Host"},
                      Case{"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, "Host"},
                      Case{kPost + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415,
                           "Content-Encoding is not supported"},
                      Case{kPost + "Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}", 417, "of Expect only 100-continue"}));

INSTANTIATE_TEST_SUITE_P(
    Bodies, Refusals,
    ::testing::Values(
        Case{kPost + "Content-Length: 1001\r\n\r\n", 413, "refused POST /v1: body over 1000 bytes"},
        Case{kPost + "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n", 413, "body over 1000 bytes"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n", 413, "body over 1000 bytes"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n", 413,
             "body over 1000 bytes"},
        Case{kPost + "Content-Length: -1\r\n\r\n{}", 400, "Content-Length"},
        Case{kPost + "Content-Length: 0x10\r\n\r\n{}", 400, "Content-Length"},
        Case{kPost + "Content-Length: \r\n\r\n{}", 400, "Content-Length"},
        Case{kPost + "Content-Length: +2\r\n\r\n{}", 400, "Content-Length"},
        Case{kPost + "Content-Length: 99999999999999999999999999\r\n\r\n{}", 400, "Content-Length"},
        Case{kPost + "Content-Length: 2\r\nContent-Length: 5\r\n\r\n{}abc", 400, "Content-Length"},
        Case{kPost + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "x"},
        Case{kPost + "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", 400, "x"},
        Case{kPost + "Transfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 400,
             "both Content-Length and Transfer-Encoding"},
        Case{kPost + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501, "chunked"},
        Case{kPost + "Transfer-Encoding: identity\r\n\r\n", 501, "chunked"},
        Case{kPost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "Transfer-Encoding"},
        Case{"POST /v1 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n", 400, "malformed body"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", 400, "malformed body"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello\r\n", 400, "malformed body"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n", 400, "malformed body"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\n5;" + std::string(200, 'a'), 400, "line of a chunk"},
        Case{kPost + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + fields(50), 400, "trailers, over 100 bytes"}));

TEST(Limits, WhatIsJustWithinThemIsServed) {
  RunningServer server(small_limits());
  Client client(server);
  const std::string path = "/" + std::string(100 - 14, 'a');
  EXPECT_EQ(body_of(client.ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")), "GET " + path + " []");
  EXPECT_EQ(status_of(client.ask(kPost + fields(9) + "\r\n")), 200);
  EXPECT_EQ(status_of(client.ask("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(1000 - 9 - 5 - 2, 'b') + "\r\n\r\n")),
            200);
  const std::string body(1000, 'b');
  EXPECT_EQ(body_of(client.ask(kPost + "Content-Length: 1000\r\n\r\n" + body)), "POST /v1 [" + body + "]");
  EXPECT_EQ(body_of(client.ask(kPost + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + body + "\r\n0\r\n\r\n")),
            "POST /v1 [" + body + "]");
  EXPECT_EQ(status_of(client.ask(kPost + "Content-Length: 2\r\nContent-Length: 2\r\nContent-Encoding: identity\r\n\r\n{}")),
            200);
}

TEST(Limits, ARefusedHeadRequestGetsNoBody) {
  RunningServer server;
  Client client(server);
  client.send("HEAD / HTTP/1.1\r\n\r\n");
  const std::string answer = client.receive_until();
  EXPECT_EQ(status_of(answer), 400);
  EXPECT_EQ(body_of(answer), "");
}

TEST(Limits, ARefusalKeepsTheClientsRequestId) {
  RunningServer server(small_limits());
  Client client(server);
  client.send(kPost + "X-Request-Id: mine\r\nContent-Length: 5000\r\n\r\n");
  EXPECT_THAT(client.receive_until(), HasSubstr("x-request-id: mine\r\n"));
}

// The answer must reach a client that goes on sending: no reset takes it away.
TEST(Limits, ARefusalIsReadByAClientThatSendsOn) {
  RunningServer server;
  Client client(server);
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n");
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 20; ++i) client.send(megabyte);
  EXPECT_EQ(status_of(client.receive_until()), 413);
}

TEST(Limits, ARequestThatDoesNotComeInTimeGets408) {
  HttpOptions options;
  options.request_timeout = 0.05;
  RunningServer server(options);
  for (const std::string part :
       {"G", "GET /path HTTP/1.1\r\nHost: x\r\n", "POST /path HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc"}) {
    Client client(server);
    client.send(part);
    const std::string answer = client.receive_until();
    EXPECT_EQ(status_of(answer), 408);
    EXPECT_THAT(answer, HasSubstr(part.size() > 1 ? " /path: " : "refused  : "));
  }
}

TEST(Limits, BytesThatDripDoNotExtendTheTimeOfARequest) {
  HttpOptions options;
  options.request_timeout = 0.1;
  RunningServer server(options);
  Client client(server);
  client.send("GET / HTTP/1.1\r\nHost: x\r\nA: ");
  while (!client.is_readable(5)) client.send("a");
  EXPECT_EQ(status_of(client.receive()), 408);
}

TEST(Limits, AnIdleConnectionIsClosed) {
  HttpOptions options;
  options.timeout = 0.05;
  RunningServer server(options);
  Client fresh(server), used(server);
  EXPECT_EQ(status_of(used.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 200);
  EXPECT_EQ(fresh.receive_until(), "");
  EXPECT_EQ(used.receive_until(), "");
  server.wait_for_connections(0);
}

TEST(Limits, ConnectionsBeyondTheLimitGet503) {
  HttpOptions options;
  options.max_connections = 2;
  RunningServer server(options);
  Client first(server), second(server);
  server.wait_for_connections(2);
  {
    Client third(server);
    const std::string answer = third.receive_until();
    EXPECT_EQ(status_of(answer), 503);
    EXPECT_THAT(answer, HasSubstr("too many connections"));
  }
  first.close();
  server.wait_for_connections(1);
  Client fourth(server);
  EXPECT_EQ(status_of(fourth.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 200);
  EXPECT_EQ(status_of(second.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), 200);
}

// The server's own end of a client's connection, which is in this process.
int other_end_of(const Client& client) {
  sockaddr_in mine = {}, peer = {};
  socklen_t size = sizeof(mine);
  ::getsockname(client.fd(), reinterpret_cast<sockaddr*>(&mine), &size);
  for (int fd = 3; fd < 1024; ++fd) {
    size = sizeof(peer);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && peer.sin_family == AF_INET &&
        peer.sin_port == mine.sin_port)
      return fd;
  }
  return -1;
}

TEST(Limits, ClientsThatHaveVanishedAreProbedFor) {
  RunningServer server(HttpOptions{});
  Client client(server);
  server.wait_for_connections(1);
  const int fd = other_end_of(client);
  ASSERT_GE(fd, 0);
  int on = 0;
  socklen_t size = sizeof(on);
  EXPECT_EQ(::getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, &size), 0);
  EXPECT_NE(on, 0);
}

// A POST request to /v1 that announces `length` bytes of body and brings the first `sent`.
std::string posted(size_t length, size_t sent) {
  return kPost + "Content-Length: " + std::to_string(length) + "\r\n\r\n" + std::string(sent, 'x');
}

TEST(Limits, ABodyForWhichThereIsNoRoomIsRefusedBeforeItIsRead) {
  HttpOptions options;
  options.max_body_total = 1'000'000;
  RunningServer server(options);
  Client first(server), second(server);
  first.send(posted(900'000, 600'000));
  while (server->held_bytes() < 900'000) std::this_thread::sleep_for(1ms);  // also what is to come
  const std::string answer = second.ask(posted(200'000, 0));
  EXPECT_EQ(status_of(answer), 503);
  EXPECT_THAT(answer, HasSubstr("refused POST /v1: too many bytes"));
  EXPECT_EQ(status_of(first.ask(std::string(300'000, 'x'))), 200);
  EXPECT_EQ(status_of(first.ask(posted(900'000, 900'000))), 200);  // nothing of it is counted any more
}

TEST(Limits, AChunkedBodyIsRefusedWhenThereIsNoMoreRoom) {
  HttpOptions options;
  options.max_body_total = 200'000;
  RunningServer server(options);
  Client client(server);
  client.send(kPost + "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "2710\r\n" + std::string(10'000, 'x') + "\r\n";
  for (int i = 0; i < 40 && client.send(chunk); ++i) {
  }
  EXPECT_EQ(status_of(client.receive_until()), 503);
}

TEST(Limits, BodiesThatWaitForTheirAnswersAreCounted) {
  HttpOptions options;
  options.max_body_total = 1'000'000;
  Parked parked;
  RunningServer server(options, parked.handler());
  Client first(server), second(server);
  first.send(posted(600'000, 600'000));
  auto exchange = parked.next();
  EXPECT_EQ(status_of(second.ask(posted(600'000, 0))), 503);
  EXPECT_EQ(exchange->take_body().size(), 600'000u);  // which the handler holds now
  EXPECT_FALSE(exchange->hold(2'000'000));
  EXPECT_TRUE(exchange->hold(10));
  Client third(server);
  third.send(posted(600'000, 600'000));
  auto other = parked.next();
  other->send({});
  other = nullptr;
  exchange->send({});
  EXPECT_EQ(status_of(third.receive_answer()), 200);
}

TEST(Limits, OneClientLeavesRoomForOthers) {
  HttpOptions options;
  options.max_body_total = 1'000'000;
  options.client_of = [](const HttpRequest& head) { return std::string(head.header("x-client")); };
  Parked parked;
  RunningServer server(options, parked.handler());
  const auto post_as = [](const std::string& name, int bytes) {
    return "POST /v1 HTTP/1.1\r\nHost: x\r\nX-Client: " + name + "\r\nContent-Length: " + std::to_string(bytes) +
           "\r\n\r\n" + std::string(static_cast<size_t>(bytes), 'x');
  };
  Client many(server), again(server), one(server);
  many.send(post_as("many", 400'000));
  const auto held = parked.next();
  EXPECT_EQ(status_of(again.ask(post_as("many", 400'000))), 503);
  one.send(post_as("one", 400'000));
  parked.next()->send({});
  EXPECT_EQ(status_of(one.receive_answer()), 200);
}

// To any bytes the server answers or closes, and goes on.
TEST(Limits, SurvivesRandomBytes) {
  HttpOptions options = small_limits();
  options.request_timeout = 0.2;
  RunningServer server(options);
  std::mt19937 random(7);
  const std::string good = kPost + "Content-Length: 4\r\n\r\n[12]", words = "\r\n :\t/0aHTP%\"chunked";
  for (int i = 0; i < 300; ++i) {
    std::string bytes = good;
    if (i % 3 == 0) bytes.assign(random() % 3000, ' ');
    for (size_t n = i % 3 == 0 ? bytes.size() : random() % 20; n > 0 && !bytes.empty(); --n)
      bytes[random() % bytes.size()] = i % 2 ? static_cast<char>(random()) : words[random() % words.size()];
    Client client(server);
    client.send(bytes);
    ::shutdown(client.fd(), SHUT_WR);
    client.receive_until();
  }
  Client client(server);
  EXPECT_EQ(body_of(client.ask(good)), "POST /v1 [[12]]");
}

}  // namespace
}  // namespace skald::serve_test
