// Streams: framing, pings, and bytes that a client has not taken yet.
#include <gmock/gmock.h>

#include <atomic>

#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Streams, LeaveInChunksAndKeepTheConnection) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  for (int i = 0; i < 2; ++i) {
    client.send(kGet);
    const auto exchange = parked.next();
    exchange->begin({.headers = {{"Content-Type", "text/event-stream"}}});
    const std::string head = client.receive_until("\r\n\r\n");  // before anything is written
    EXPECT_EQ(status_of(head), 200);
    EXPECT_THAT(head, HasSubstr("\r\nTransfer-Encoding: chunked\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("Content-Length")));
    exchange->write("");
    exchange->write("data: 1\n\n");
    EXPECT_EQ(client.receive(), "9\r\ndata: 1\n\n\r\n");
    exchange->write(std::string(300, 'x'));
    EXPECT_EQ(client.receive(), "12c\r\n" + std::string(300, 'x') + "\r\n");
    exchange->end();
    EXPECT_EQ(client.receive(), "0\r\n\r\n");
    EXPECT_FALSE(exchange->gone());
  }
}

TEST(Streams, HeadAndFirstBytesLeaveTogether) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  parked.next()->begin({.body = "first"});
  EXPECT_THAT(client.receive(), ::testing::EndsWith("\r\n\r\n5\r\nfirst\r\n"));
}

TEST(Streams, EndWithTheConnectionOfAnOldClient) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send("GET /s HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const auto exchange = parked.next();
  exchange->begin({.body = "a"});
  exchange->write("b");
  exchange->end();
  const std::string all = client.receive_until();
  EXPECT_EQ(body_of(all), "ab");
  EXPECT_THAT(all, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(all, Not(HasSubstr("Transfer-Encoding")));
}

TEST(Streams, CanCloseAfterAnError) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet + kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  exchange->write("error");
  exchange->end(true);
  EXPECT_EQ(body_of(client.receive_until()), "5\r\nerror\r\n0\r\n\r\n");
  EXPECT_EQ(parked.count(), 0U);
}

TEST(Streams, HaveNoBodyForHead) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send("HEAD /s HTTP/1.1\r\nHost: x\r\n\r\n" + kGet);
  const auto exchange = parked.next();
  exchange->begin({.body = "a"}, {.text = "ping", .every = 1ms});
  exchange->write("b");
  exchange->end();
  parked.next()->send({.body = "next"});
  EXPECT_TRUE(client.receive_until("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(body_of(client.receive_answer()), "next");
}

TEST(Streams, PingUntilTheFirstWrite) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({.body = "role"}, {.text = ": ping\n\n", .every = 5ms});
  client.receive_until("role\r\n");
  EXPECT_EQ(client.receive_until(": ping\n\n\r\n8\r\n: ping\n\n\r\n"), "8\r\n: ping\n\n\r\n8\r\n: ping\n\n\r\n");
  exchange->write("text");
  client.receive_until("4\r\ntext\r\n");
  EXPECT_FALSE(client.is_readable(50));
  exchange->end();
  EXPECT_EQ(client.receive_until("0\r\n\r\n"), "0\r\n\r\n");
}

TEST(Streams, DroppedWithinCloseTheConnection) {
  RunningServer server({}, [](const std::shared_ptr<Exchange>& exchange) {
    exchange->begin({});
    exchange->write("half");
  });
  Client client(server);
  client.send(kGet);
  EXPECT_EQ(body_of(client.receive_until()), "4\r\nhalf\r\n");
}

// Nothing is lost for a slow reader, and the writer sees how many bytes it has not taken.
TEST(Streams, CountWhatASlowReaderHasNotTaken) {
  Signal sent;
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server, 4096);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  const std::string piece(100'000, 'x');
  size_t pieces = 0;
  while (exchange->unsent() < 1'000'000) {
    exchange->write(piece);
    ++pieces;
    std::this_thread::sleep_for(1ms);
  }
  exchange->when_sent([&] { sent.set(); });
  EXPECT_EQ(sent.count(), 0);
  client.receive_until("\r\n\r\n");
  std::thread reader([&] {
    for (size_t i = 0; i < pieces; ++i) EXPECT_EQ(client.receive_until(piece + "\r\n"), "186a0\r\n" + piece + "\r\n");
  });
  sent.wait();
  EXPECT_EQ(exchange->unsent(), 0U);
  reader.join();
  exchange->end();
  EXPECT_EQ(client.receive_until("0\r\n\r\n"), "0\r\n\r\n");
}

TEST(Streams, TellAtOnceThatAllIsSent) {
  Signal sent;
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  const auto exchange = parked.next();
  exchange->begin({});
  client.receive_until("\r\n\r\n");
  exchange->when_sent([&] { sent.set(); });
  sent.wait(1);
  exchange->write("a");
  sent.wait(2);
  exchange->end();
}

TEST(Streams, LetGoOfWhatTheirCallbacksHold) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server);
  client.send(kGet);
  auto exchange = parked.next();
  exchange->when_gone([exchange] {});
  exchange->when_sent([exchange] {});
  exchange->begin({});
  exchange->end();
  exchange->when_gone([exchange] {});  // too late
  const std::weak_ptr<Exchange> left = exchange;
  exchange.reset();
  while (!left.expired()) std::this_thread::sleep_for(1ms);
}

TEST(Streams, PingNoClientThatDoesNotRead) {
  Parked parked;
  RunningServer server({}, parked.handler());
  Client client(server, 4096);
  client.send(kGet);
  const auto exchange = parked.next();
  constexpr size_t kPing = 20'000'000;  // more than kernels keep
  exchange->begin({}, {.text = std::string(kPing, 'p'), .every = 1ms});
  while (exchange->unsent() < kPing / 4) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(20ms);
  EXPECT_LT(exchange->unsent(), kPing);
}

TEST(Streams, TakeWritesOfManyThreads) {
  Parked parked;
  RunningServer server({}, parked.handler());
  constexpr int kClients = 8, kPieces = 500;
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&] {
      Client client(server);
      client.send(kGet);
      const std::string all = body_of(client.receive_until("\r\n0\r\n\r\n"));
      std::string want;
      for (int k = 0; k < kPieces; ++k) want += "5\r\n" + std::to_string(10000 + k) + "\r\n";
      EXPECT_EQ(all, want + "0\r\n\r\n");
    });
    threads.emplace_back([exchange = parked.next()] {
      exchange->begin({});
      for (int k = 0; k < kPieces; ++k) exchange->write(std::to_string(10000 + k));
      exchange->end();
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace skald::serve_test
