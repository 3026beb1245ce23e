// A server for whose threads there is no memory: it lives, each request is answered or its connection closed, and the next
// answers are as ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/no_memory/failing_allocator.h"
#include "tests/serve/whole_server.h"

namespace skald::server_without_memory_test {
namespace {

using serve::Json;
using serve_test::answer_of;
using serve_test::Client;
using serve_test::get;
using serve_test::metric;
using serve_test::mixed_requests;
using serve_test::post;
using serve_test::WholeServer;
using test::FailingAllocations;
using test::Spared;

// Each on a thread of its own, and one client that leaves.
std::vector<std::optional<std::string>> answers(int port) {
  const std::vector<std::string> requests = mixed_requests();
  std::vector<std::optional<std::string>> out(requests.size());
  std::vector<std::thread> clients;
  for (size_t i = 0; i < requests.size(); ++i)
    clients.emplace_back([&, i] {
      const Spared spared;
      out[i] = answer_of(port, requests[i]);
    });
  clients.emplace_back([&] {
    const Spared spared;
    Client client(serve_test::connect_to(port));
    client.send(requests[1]);
    client.receive(10);
  });
  for (std::thread& client : clients) client.join();
  return out;
}

// The text of a greedy answer, which is the same with any requests beside it.
std::string text_of(int port) {
  const std::optional<std::string> all =
      answer_of(port, post("/v1/completions", {{"prompt", "The little girl"}, {"temperature", 0}, {"max_tokens", 8}}));
  if (!all) return "nothing";
  const Json body = Json::parse(all->substr(all->find("\r\n\r\n") + 4), nullptr, /*allow_exceptions=*/false);
  return body.is_object() && body.contains("choices") ? body["choices"][0]["text"].get<std::string>() : *all;
}

bool is_ready(int port) {
  const std::optional<std::string> health = answer_of(port, get("/health"));
  return health && health->starts_with("HTTP/1.1 200");
}

TEST(ServerWithoutMemory, AnswersOrClosesAndGoesOn) {
  const Spared spared;
  const test::TempDir dir;
  WholeServer server(dir);
  while (!is_ready(server.port())) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::string want = text_of(server.port());
  ASSERT_FALSE(want.empty());
  int64_t good = 0, others = 0;
  test::for_failures(40, [&](int64_t first, int64_t count) {
    SCOPED_TRACE(testing::Message() << "failures from " << first << ", " << count);
    std::vector<std::optional<std::string>> got;
    {
      const FailingAllocations failing(first, count);
      got = answers(server.port());
    }
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(got[i].has_value()) << "no end of the answer to " << mixed_requests()[i].substr(0, 40);
      const bool is_good = got[i]->starts_with("HTTP/1.1 200");
      (is_good ? good : others) += 1;
    }
    ASSERT_EQ(text_of(server.port()), want);
  });
  EXPECT_GT(good, 40);
  EXPECT_GT(others, 40);
  std::string metrics;
  for (int i = 0; i < 1000; ++i) {
    metrics = answer_of(server.port(), get("/metrics")).value_or("");
    if (metric(metrics, "skald_pages_active") == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(metric(metrics, "skald_pages_active"), 0) << metrics;
  EXPECT_EQ(server.end(), serve::Ended::kDrained) << "no request is left";
}

}  // namespace
}  // namespace skald::server_without_memory_test
