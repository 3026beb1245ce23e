#include <gmock/gmock.h>

#include "tests/serve/http_client.h"

namespace skald::serve_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Http, DecodesPathAndQuery) {
  RunningServer server;
  Client client(server);
  const std::string answer = client.ask("GET /a%20b%2f?c=d+e%26&f&g=h=i HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_EQ(body_of(answer), "GET /a b/ c=d e& f= g=h=i []");
}

TEST(Http, ReadsHeadersInLowerCaseAndBodiesByLength) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    const auto& request = exchange->request();
    const std::string agent(request.header("user-agent"));
    const std::string* found = request.parameter("q");
    exchange->send({.status = 201,
                    .headers = {{"X-Of", "test"}},
                    .body = agent + "|" + (found ? *found : "none") + "|" + exchange->take_body()});
  });
  Client client(server);
  const std::string answer =
      client.ask("POST /?q=1 HTTP/1.1\r\nHost: x\r\nUSER-Agent:  me \r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(status_of(answer), 201);
  EXPECT_EQ(body_of(answer), "me|1|hello");
  EXPECT_THAT(answer, HasSubstr("\r\nX-Of: test\r\n"));
  EXPECT_THAT(answer,
              ::testing::ContainsRegex("\r\nDate: [A-Z][a-z][a-z], [0-9][0-9] [A-Z][a-z][a-z] [0-9]+ [0-9:]+ GMT\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Connection:")));
}

TEST(Http, ReadsChunkedBodiesAndDropsTrailers) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    exchange->send({.body = exchange->request().body + "|" + std::string(exchange->request().header("x-late"))});
  });
  Client client(server);
  const std::string request =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Late: "
      "1\r\n\r\n";
  EXPECT_EQ(body_of(client.ask(request)), "hello world|");
  for (const char c : request) client.send({&c, 1});
  EXPECT_EQ(body_of(client.receive_answer()), "hello world|");
}

TEST(Http, AnswersPipelinedRequestsInOrder) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().path == "/stream") {
      exchange->begin({.body = "str"});
      exchange->write("eam");
      return exchange->end();
    }
    std::thread([exchange] { exchange->send({.body = exchange->request().path}); }).detach();
  });
  Client client(server);
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(requests + "GET /stream HTTP/1.1\r\nHost: x\r\n\r\nGET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  for (int i = 0; i < 50; ++i) EXPECT_EQ(body_of(client.receive_answer()), "/" + std::to_string(i));
  EXPECT_THAT(client.receive_until("0\r\n\r\n"), HasSubstr("3\r\nstr\r\n3\r\neam\r\n"));
  const std::string last = client.receive_until();
  EXPECT_EQ(body_of(last), "/end");
  EXPECT_THAT(last, HasSubstr("\r\nConnection: close\r\n"));
}

TEST(Http, TakesThousandsOfPipelinedRequests) {
  RunningServer server;
  Client client(server);
  constexpr int kCount = 20000;
  std::string requests;
  for (int i = 0; i < kCount; ++i) requests += "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  std::thread sender([&] { client.send(requests); });
  int answers = 0;
  while (answers < kCount && status_of(client.receive_answer()) == 200) ++answers;
  EXPECT_EQ(answers, kCount);
  sender.join();
}

TEST(Http, KeepsAnOldClientOnlyWhenItAsks) {
  RunningServer server;
  Client keeps(server), closes(server);
  EXPECT_THAT(keeps.ask("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_EQ(body_of(keeps.ask("GET /2 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")), "GET /2 []");
  closes.send("GET /3 HTTP/1.0\r\n\r\n");
  const std::string answer = closes.receive_until();
  EXPECT_EQ(body_of(answer), "GET /3 []");
  EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
}

TEST(Http, TakesALaterMinorVersionForTheLatest) {
  RunningServer server;
  Client client(server);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(body_of(client.ask("GET / HTTP/1.7\r\nHost: x\r\n\r\n")), "GET / []");
}

TEST(Http, AnswersHeadWithTheLengthAndNoBody) {
  RunningServer server;
  Client client(server);
  client.send("HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 12\r\n"));  // of "HEAD /abc []"
  EXPECT_EQ(body_of(client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), "GET / []");
}

TEST(Http, AnswersWithoutContentHaveNoLength) {
  RunningServer server({},
                       [](const std::shared_ptr<Exchange>& exchange) { exchange->send({.status = 204, .body = "lost"}); });
  Client client(server);
  client.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_EQ(status_of(head), 204);
  EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(client.receive_until("\r\n\r\n").starts_with("HTTP/1.1 204 No Content\r\n"));
}

TEST(Http, SendsTheClientsRequestIdOrMakesOneUp) {
  RunningServer server({},
                       [](const std::shared_ptr<Exchange>& exchange) { exchange->send({.body = exchange->request().id}); });
  Client client(server);
  const auto id_of = [&](const std::string& header) {
    const std::string answer = client.ask("GET / HTTP/1.1\r\nHost: x\r\n" + header + "\r\n");
    const size_t at = answer.find("x-request-id: ") + 14;
    EXPECT_EQ(answer.substr(at, answer.find("\r\n", at) - at), body_of(answer));
    return body_of(answer);
  };
  EXPECT_EQ(id_of("X-Request-Id: a.B-c_9\r\n"), "a.B-c_9");
  EXPECT_EQ(id_of("X-Request-Id: " + std::string(64, 'a') + "\r\n"), std::string(64, 'a'));
  EXPECT_EQ(id_of("X-Request-Id: " + std::string(65, 'a') + "\r\n").size(), 32U);
  EXPECT_EQ(id_of("X-Request-Id: a b\r\n").size(), 32U);
  EXPECT_EQ(id_of("X-Request-Id: \xff\r\n").size(), 32U);
  EXPECT_NE(id_of(""), id_of(""));
}

TEST(Http, SendsContinueOnlyToWhoStillHasTheBody) {
  RunningServer server;
  Client client(server);
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  client.send(head);
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(body_of(client.ask("{}")), "POST / [{}]");
  EXPECT_EQ(body_of(client.ask(head + "[]")), "POST / [[]]");
  EXPECT_EQ(body_of(client.ask("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n")),
            "POST / []");
}

TEST(Http, TakesTheHostOfAnAbsoluteTarget) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    exchange->send({.body = std::string(exchange->request().header("host")) + exchange->request().path});
  });
  Client client(server);
  EXPECT_EQ(body_of(client.ask("GET http://a.b:1/c HTTP/1.1\r\nHost: x\r\n\r\n")), "a.b:1/c");
  EXPECT_EQ(body_of(client.ask("GET HTTP://a.b HTTP/1.1\r\nHost: x\r\n\r\n")), "a.b/");
  EXPECT_EQ(body_of(client.ask("GET /c HTTP/1.1\r\nHost: x\r\n\r\n")), "x/c");
}

TEST(Http, SkipsOneEmptyLineBeforeARequest) {
  RunningServer server;
  Client client(server);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(body_of(client.ask("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n")), "GET / []");
}

TEST(Http, AnAnswersHeaderCannotEndItsLine) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    exchange->send({.headers = {{"X-A", "b\r\nX-C: d"}}});
  });
  Client client(server);
  EXPECT_THAT(client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("\r\nX-A: b  X-C: d\r\n"));
}

TEST(Http, ADroppedOrThrowingHandlerIsAnError500) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().path == "/throw") throw std::runtime_error("no such thing");
  });
  for (const std::string path : {"/drop", "/throw"}) {
    Client client(server);
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\nX-Request-Id: me\r\n\r\n");
    const std::string answer = client.receive_until();
    EXPECT_EQ(status_of(answer), 500);
    EXPECT_THAT(answer, HasSubstr("x-request-id: me\r\n"));
  }
}

TEST(Http, ADroppedHeadRequestGetsNoBody) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>&) {});
  Client client(server);
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string answer = client.receive_until();
  EXPECT_EQ(status_of(answer), 500);
  EXPECT_EQ(body_of(answer), "");
}

TEST(Http, SendsLargeAnswersWhole) {
  const std::string large(20'000'000, 'x');
  RunningServer server({}, [&](const std::shared_ptr<Exchange>& exchange) { exchange->send({.body = large}); });
  Client client(server);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(body_of(client.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n")), large);
}

}  // namespace
}  // namespace skald::serve_test
