// The server as a whole: its thread, its end, and many clients.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <fstream>
#include <optional>
#include <stdexcept>

#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"
#include "tests/support/sanitized.h"

namespace skald::serve_test {
namespace {

TEST(Servers, RunWhatIsPostedOnTheirThread) {
  RunningServer server;
  Signal posted, later;
  std::thread::id first, second;
  server->post([&] {
    first = std::this_thread::get_id();
    posted.set();
  });
  server->after(1ms, [&] {
    second = std::this_thread::get_id();
    later.set();
  });
  posted.wait();
  later.wait();
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(Servers, GoOnAfterCallsThatThrow) {
  Signal later;
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    exchange->begin({});
    exchange->when_sent([] { throw std::runtime_error("no"); });
    exchange->write("a");
  });
  for (int i = 0; i < 3; ++i) server->post([] { throw std::runtime_error("no"); });
  server->after(0ms, [] { throw 42; });
  server->post([&] { later.set(); });
  later.wait();
  for (int i = 0; i < 3; ++i) {
    Client client(server);
    client.send(kGet);
    client.receive_until();  // the rest of its answer: its connection ends
  }
  Client other(server);
  other.send("GARBAGE\r\n\r\n");
  EXPECT_EQ(status_of(other.receive_until()), 400);
}

TEST(Servers, CloseStreamsThatAreDroppedAndAnswerOthersWith500) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client begun(server), unbegun(server);
  begun.send(kGet);
  auto stream = parked.next();
  stream->begin({});
  stream->write("a");
  stream.reset();
  EXPECT_EQ(begun.receive_until().substr(0, 15), "HTTP/1.1 200 OK");
  unbegun.send(kGet);
  parked.next().reset();
  EXPECT_EQ(status_of(unbegun.receive_until()), 500);
}

TEST(Servers, StopOnceWhatWasWrittenIsSent) {
  Parked parked;
  HttpServer server({.port = 0}, parked.handler(), plain_refusal);
  std::thread thread([&] { server.run(); });
  Client idle(connect_to(port_of(server)));
  Client client(connect_to(port_of(server), 4096));
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  exchange->write(std::string(5'000'000, 'x'));
  exchange->end(true);
  server.stop(60s);
  EXPECT_GT(body_of(client.receive_until()).size(), 5'000'000U);
  thread.join();
  EXPECT_EQ(idle.receive_until(), "");
  EXPECT_EQ(server.connections(), 0);
}

TEST(Servers, StopWhenTheGraceIsOver) {
  Parked parked;
  HttpServer server({.port = 0}, parked.handler(), plain_refusal);
  std::thread thread([&] { server.run(); });
  Client client(connect_to(port_of(server), 4096));
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  exchange->write(std::string(20'000'000, 'x'));
  server.stop(10ms);
  thread.join();
}

TEST(Servers, MayEndBeforeTheirExchanges) {
  Parked parked;
  std::shared_ptr<Exchange> exchange;
  {
    RunningServer server({}, parked.handler());
    Client client(server);
    client.send(kGet);
    exchange = parked.next();
  }
  EXPECT_TRUE(exchange->gone());
  exchange->begin({});
  exchange->write("a");
  exchange->when_gone([] {});
  exchange->end();
}

TEST(Servers, RaiseTheLimitOfOpenFiles) {
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  { RunningServer server; }
  rlimit after = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(Servers, GoOnWhenThereAreDescriptorsAgain) {
  RunningServer server;
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = ::dup(0);  // the client's will be
  ::close(next);
  rlimit low = before;
  low.rlim_cur = static_cast<rlim_t>(next) + 1;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  Client client(connect_to(server.port()));
  client.send(kGet);
  EXPECT_FALSE(client.is_readable(150));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(body_of(client.receive_answer()), "GET /s []");
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

TEST(Servers, HoldLittleForIdleConnectionsAndWaitingStreams) {
  if (test::kSanitized) GTEST_SKIP() << "sanitizers have their own memory";
  Parked parked;
  RunningServer server({}, [&](const std::shared_ptr<Exchange>& exchange) {
    if (exchange->request().path == "/s")
      parked.handler()(exchange);
    else
      echo(exchange);
  });
  constexpr int kCount = 2000;
  std::vector<std::unique_ptr<Client>> clients;
  const int64_t before = resident_bytes();
  for (int i = 0; i < kCount; ++i) {
    clients.push_back(std::make_unique<Client>(server));
    const std::string body(5000, 'b');
    EXPECT_EQ(status_of(clients.back()->ask("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n" + body)), 200);
  }
  EXPECT_LT(resident_bytes() - before, int64_t{kCount} * (16 << 10));
  std::vector<std::shared_ptr<Exchange>> exchanges;
  for (const auto& client : clients) {
    client->send(kGet);
    exchanges.push_back(parked.next());
    exchanges.back()->begin({}, {.text = "ping", .every = 15s});
  }
  EXPECT_LT(resident_bytes() - before, int64_t{kCount} * (32 << 10));
  for (const auto& exchange : exchanges) exchange->end();
  for (const auto& client : clients) EXPECT_EQ(body_of(client->receive_until("0\r\n\r\n")), "0\r\n\r\n");
}

}  // namespace
}  // namespace skald::serve_test
