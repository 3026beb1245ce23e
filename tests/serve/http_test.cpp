#include "tests/serve/http_client.h"

namespace skald::serve_test {
namespace {

TEST(Http, AnswersAGet) {
  RunningServer server;
  Client client(server);
  const std::string answer = client.ask("GET /a%20b?c=d+e&f HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_EQ(body_of(answer), "GET /a b c=d e f= []");
}

}  // namespace
}  // namespace skald::serve_test
