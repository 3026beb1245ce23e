// A server for whose threads there is no memory: it lives, each request is answered or its connection closed, and the next
// answers are as ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/time.h>

#include <csignal>
#include <future>
#include <thread>

#include "serve/json.h"
#include "serve/server.h"
#include "tests/no_memory/failing_allocator.h"
#include "tests/serve/http_client.h"
#include "tests/support/temp_dir.h"

namespace skald::server_without_memory_test {
namespace {

using serve::Json;
using serve_test::Client;
using test::FailingAllocations;
using test::Spared;

// The whole server, as `skald serve` runs it. Its signals are the process's: no other thread may take them.
class ServedModel {
 public:
  explicit ServedModel(const test::TempDir& dir) {
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stops, nullptr);
    serve::ServeOptions options;
    options.http.port = 0;
    options.engine.device.n_threads = 1;
    options.engine.cache.share_prefixes = true;
    options.engine.schedule.n_parallel = 2;
    options.n_ctx = 1024;
    options.metrics = true;
    options.log_requests = false;
    options.prefix_cache_dir = dir.path("pages");
    options.slot_save_path = dir.path("slots");
    std::promise<int> port;
    std::future<int> is_there = port.get_future();
    thread_ = std::thread([this, options = std::move(options), port = std::move(port)]() mutable {
      ended_ = serve::run_server(std::move(options), [&](const std::string& address) {
        port.set_value(std::stoi(address.substr(address.rfind(':') + 1)));
      });
    });
    port_ = is_there.get();
  }
  // How it ended.
  serve::Ended end() {
    ::kill(::getpid(), SIGTERM);
    thread_.join();
    return ended_;
  }
  int port() const { return port_; }

 private:
  serve::Ended ended_ = serve::Ended::kInterrupted;
  int port_ = 0;
  std::thread thread_;
};

std::string post(const std::string& path, const Json& body) {
  const std::string text = body.dump();
  return "POST " + path +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" +
         text;
}
std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
}

// Texts as a whole and as streams, chats, grammars, requests that only read, and bad ones.
std::vector<std::string> mix() {
  const std::string shared =
      "Once upon a time there was a little girl named Lily who had a cat, a dog, and a big red ball. "
      "She liked to play with them in the garden all day long, and in the evening her mother told ";
  const Json greedy = {{"temperature", 0}, {"max_tokens", 6}};
  const auto with = [&](Json more) {
    more.update(greedy);
    return more;
  };
  return {
      post("/v1/completions", with({{"prompt", shared + "a story"}, {"logprobs", 2}})),
      post("/v1/completions", with({{"prompt", shared + "the cat"}, {"stream", true}})),
      post("/v1/chat/completions",
           with({{"messages", {{{"role", "user"}, {"content", "Tell me of a cat."}}}}, {"stream", true}})),
      post("/v1/chat/completions", with({{"messages", {{{"role", "user"}, {"content", "Tell me of a dog."}}}}, {"n", 2}})),
      post("/v1/completions", with({{"prompt", {"A", "B"}}, {"json_schema", {{"type", "boolean"}}}})),
      post("/v1/messages", with({{"model", "x"}, {"messages", {{{"role", "user"}, {"content", "Hello"}}}}})),
      post("/tokenize", {{"content", "Once upon a time"}}),
      post("/v1/completions", {{"prompt", 5}}),
      post("/slots/0?action=save", {{"filename", "a"}}),
      get("/v1/models"),
      get("/metrics"),
      get("/slots"),
      get("/nowhere"),
      "GARBAGE\r\n\r\n",
  };
}

// All that comes; none where that takes too long.
std::optional<std::string> answer(int port, const std::string& request) {
  const int fd = serve_test::connect_to(port);
  const timeval limit{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  Client client(fd);
  client.send(request);
  std::string all;
  for (;;) {
    std::string more(65536, '\0');
    const ssize_t got = ::recv(fd, more.data(), more.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (got <= 0) return all;
    all.append(more, 0, static_cast<size_t>(got));
  }
}

// Each on a thread of its own, and one client that leaves.
std::vector<std::optional<std::string>> answers(int port) {
  const std::vector<std::string> requests = mix();
  std::vector<std::optional<std::string>> out(requests.size());
  std::vector<std::thread> clients;
  for (size_t i = 0; i < requests.size(); ++i)
    clients.emplace_back([&, i] {
      const Spared spared;
      out[i] = answer(port, requests[i]);
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
      answer(port, post("/v1/completions", {{"prompt", "The little girl"}, {"temperature", 0}, {"max_tokens", 8}}));
  if (!all) return "nothing";
  const Json body = Json::parse(all->substr(all->find("\r\n\r\n") + 4), nullptr, /*allow_exceptions=*/false);
  return body.is_object() && body.contains("choices") ? body["choices"][0]["text"].get<std::string>() : *all;
}

int64_t metric(const std::string& metrics, const std::string& name) {
  const size_t at = metrics.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stoll(metrics.substr(at + name.size() + 2));
}

bool is_ready(int port) {
  const std::optional<std::string> health = answer(port, get("/health"));
  return health && health->starts_with("HTTP/1.1 200");
}

TEST(ServerWithoutMemory, AnswersOrClosesAndGoesOn) {
  const Spared spared;
  const test::TempDir dir;
  ServedModel server(dir);
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
      ASSERT_TRUE(got[i].has_value()) << "no end of the answer to " << mix()[i].substr(0, 40);
      const bool is_good = got[i]->starts_with("HTTP/1.1 200");
      (is_good ? good : others) += 1;
    }
    ASSERT_EQ(text_of(server.port()), want);
  });
  EXPECT_GT(good, 40);
  EXPECT_GT(others, 40);
  std::string metrics;
  for (int i = 0; i < 1000; ++i) {
    metrics = answer(server.port(), get("/metrics")).value_or("");
    if (metric(metrics, "skald_pages_active") == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(metric(metrics, "skald_pages_active"), 0) << metrics;
  EXPECT_EQ(server.end(), serve::Ended::kDrained) << "no request is left";
}

}  // namespace
}  // namespace skald::server_without_memory_test
