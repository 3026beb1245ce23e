// Clients that leave, or stop reading.
#include <gmock/gmock.h>

#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

// Ways to leave.
using Leave = void (*)(Client&);
class Leaving : public ::testing::TestWithParam<Leave> {};
INSTANTIATE_TEST_SUITE_P(Ways, Leaving,
                         ::testing::Values([](Client& client) { client.close(); }, [](Client& client) { client.reset(); },
                                           [](Client& client) { ::shutdown(client.fd(), SHUT_WR); }));

TEST_P(Leaving, IsNoticedWhileTheRequestWaits) {
  Signal gone;
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->when_gone([&] { gone.set(); });
  EXPECT_FALSE(exchange->gone());
  GetParam()(client);
  gone.wait();
  EXPECT_TRUE(exchange->gone());
  EXPECT_EQ(exchange->unsent(), 0U);
  exchange->begin({});  // lost without an error
  exchange->write("a");
  EXPECT_EQ(exchange->unsent(), 0U);
  exchange->end();
  server.wait_for_connections(0);
  EXPECT_EQ(gone.count(), 1);
}

TEST_P(Leaving, IsNoticedInAStream) {
  Signal gone;
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->when_gone([&] { gone.set(); });
  exchange->begin({});
  exchange->write("a");
  client.receive_until("1\r\na\r\n");
  GetParam()(client);
  gone.wait();
  EXPECT_TRUE(exchange->gone());
}

TEST_P(Leaving, IsToldToWhoAsksLater) {
  Signal gone;
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  GetParam()(client);
  server.wait_for_connections(0);
  EXPECT_TRUE(exchange->gone());
  exchange->when_gone([&] { gone.set(); });
  gone.wait();
}

TEST_P(Leaving, WithinAHeadOrABodyAsksNothing) {
  Parked parked;
  RunningServer server({}, parked.handler());
  for (const std::string part :
       {"", "GE", "GET / HTTP/1.1\r\nHost: x\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc"}) {
    Client client(server);
    client.send(part);
    server.wait_for_connections(1);
    GetParam()(client);
    server.wait_for_connections(0);
  }
  EXPECT_EQ(parked.count(), 0U);
}

// Of a client's bytes while it is answered, one more request is read ahead; beyond that, its end still shows.
TEST_P(Leaving, IsNoticedAfterMoreThanIsReadAhead) {
  Signal gone;
  Parked parked;
  HttpOptions options;
  options.max_line = options.max_header = options.max_body = 1000;
  RunningServer server(options, parked.handler());
  Client client(server);
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += kGet;
  client.send(requests);
  const auto exchange = parked.next();
  exchange->when_gone([&] { gone.set(); });
  GetParam()(client);
  gone.wait();
  EXPECT_EQ(parked.count(), 0U);
}

TEST(Readers, WhoStopReadingAreCutOffAfterTheTimeout) {
  Signal gone;
  Parked parked;
  HttpOptions options;
  options.timeout = 0.2;
  RunningServer server(options, parked.handler());
  Client client(server, 4096);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->when_gone([&] { gone.set(); });
  exchange->begin({});
  exchange->write(std::string(20'000'000, 'x'));
  gone.wait();
  server.wait_for_connections(0);
}

TEST(Readers, WhoseAnswerIsCompleteAreCutOffToo) {
  HttpOptions options;
  options.timeout = 0.2;
  RunningServer server(
      options, [](const std::shared_ptr<Exchange>& exchange) { exchange->send({.body = std::string(20'000'000, 'x')}); });
  Client client(server, 4096);
  client.send(kGet);
  server.wait_for_connections(1);
  server.wait_for_connections(0);
}

TEST(Readers, WhoWaitForTheServerAreKept) {
  Parked parked;
  HttpOptions options;
  options.timeout = options.request_timeout = 0.02;
  RunningServer server(options, parked.handler());
  Client client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(exchange->gone());
  exchange->send({.body = "late"});
  EXPECT_EQ(body_of(client.receive_answer()), "late");
}

// The request is complete, and so is the answer: a client that only closes its own side gets all of it.
TEST(Readers, WhoHaveClosedTheirSideGetACompleteAnswer) {
  RunningServer server(
      {}, [](const std::shared_ptr<Exchange>& exchange) { exchange->send({.body = std::string(20'000'000, 'x')}); });
  Client client(server, 4096);
  client.send(kGet);
  std::string all = client.receive();
  ::shutdown(client.fd(), SHUT_WR);
  all += client.receive_until();
  EXPECT_EQ(body_of(all).size(), 20'000'000U);
}

TEST(Readers, MayLeaveWhileOthersWrite) {
  Parked parked;
  RunningServer server({}, parked.handler());
  for (int i = 0; i < 50; ++i) {
    Client client(server);
    client.send(kGet);
    std::thread writer([exchange = parked.next()] {
      exchange->when_gone([] {});
      exchange->when_sent([] {});
      exchange->begin({}, {.text = "p", .every = 1ms});
      for (int k = 0; k < 10000 && !exchange->gone(); ++k) {
        exchange->write("some text");
        if (exchange->unsent() > 10000) std::this_thread::yield();
      }
      exchange->end();
    });
    client.receive();
    if (i % 2) client.reset();
    client.close();
    writer.join();
  }
}

}  // namespace
}  // namespace skald::serve_test
