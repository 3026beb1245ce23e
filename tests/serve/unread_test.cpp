// Answers that a client does not read are not kept for ever, and those of honest slow readers are.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/serve/http_client.h"
#include "tests/serve/parked.h"

namespace skald::serve_test {
namespace {

constexpr size_t kLarge = size_t{16} << 20;  // much more than the kernel keeps
constexpr int kSmallBuffer = 4096;

void answer_large(const std::shared_ptr<Exchange>& exchange) { exchange->send({.body = std::string(kLarge, 'x')}); }

// Bytes of a large body that come up to the end, a piece each few milliseconds.
size_t read_slowly(Client& client, std::chrono::milliseconds pause) {
  std::string head;
  size_t all = 0;
  while (all < kLarge || all < head.find("\r\n\r\n") + 4 + kLarge) {
    const std::string piece = client.receive(size_t{1} << 20);
    if (piece.empty()) break;
    if (head.find("\r\n\r\n") == std::string::npos) head += piece;
    all += piece.size();
    std::this_thread::sleep_for(pause);
  }
  return all - std::min(all, head.find("\r\n\r\n") + 4);
}

TEST(Unread, AWholeAnswerHasItsTimeToMove) {
  HttpOptions options;
  options.request_timeout = 0.1;
  RunningServer server(options, answer_large);
  Client client(server, kSmallBuffer);
  client.send(kGet);
  server.wait_for_connections(1);
  server.wait_for_connections(0);
  EXPECT_EQ(server->held_bytes(), 0);
}

TEST(Unread, ASlowReaderWhoseBytesMoveIsNotCut) {
  HttpOptions options;
  options.request_timeout = 0.1;
  RunningServer server(options, answer_large);
  Client client(server);
  client.send(kGet);
  EXPECT_EQ(read_slowly(client, 10ms), kLarge);
}

TEST(Unread, WhatIsKeptForSlowReadersMayWait) {
  HttpOptions options;
  options.request_timeout = 0.05;
  options.stream_buffer = int64_t{1} << 30;
  RunningServer server(options, answer_large);
  Client client(server, kSmallBuffer);
  client.send(kGet);
  while (server->held_bytes() == 0) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(server->connections(), 1);
}

TEST(Unread, TheSlowestReadersAreCutWhereAllHaveNoRoom) {
  HttpOptions options;
  options.max_body_total = 2 * kLarge + kLarge / 2;
  RunningServer server(options, answer_large);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<Client>(server, kSmallBuffer));
    clients.back()->send(kGet);
    while (!clients.back()->is_readable(1)) {
    }
    // The cut comes after the write that makes it necessary.
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (server->held_bytes() > options.max_body_total && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(1ms);
    EXPECT_LE(server->held_bytes(), options.max_body_total);
  }
  const auto whole = std::ranges::count_if(clients, [](const auto& c) { return read_slowly(*c, 0ms) == kLarge; });
  EXPECT_GE(whole, 1);
  EXPECT_LT(whole, 6);
}

TEST(Unread, OneClientLeavesRoomForOthers) {
  HttpOptions options;
  options.max_body_total = 8 * kLarge;
  options.client_of = [](const HttpRequest& head) { return std::string(head.header("x-client")); };
  RunningServer server(options, answer_large);
  const std::string get = "GET / HTTP/1.1\r\nHost: x\r\nX-Client: many\r\n\r\n";
  Client other(server, kSmallBuffer);
  other.send(kGet);
  std::vector<std::unique_ptr<Client>> clients;
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (server->connections() == std::ssize(clients) + 1 && std::chrono::steady_clock::now() < end) {
    clients.push_back(std::make_unique<Client>(server, kSmallBuffer));
    clients.back()->send(get);
    while (!clients.back()->is_readable(1)) {
    }
    std::this_thread::sleep_for(200ms);
  }
  EXPECT_LE(clients.size(), 20u);
  EXPECT_EQ(read_slowly(other, 0ms), kLarge);
}

}  // namespace
}  // namespace skald::serve_test
