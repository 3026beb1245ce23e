// The whole server, as `skald serve` runs it, in threads of this process; and a mixture of requests.
#pragma once

#include <pthread.h>
#include <sys/time.h>

#include <csignal>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "serve/json.h"
#include "serve/server.h"
#include "tests/serve/http_client.h"
#include "tests/support/temp_dir.h"

namespace skald::serve_test {

using serve::Json;

/// Its signals are the process's: no other thread may take them.
class WholeServer {
 public:
  explicit WholeServer(const test::TempDir& dir) {
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
  /// How it ended.
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

inline std::string post(const std::string& path, const Json& body) {
  const std::string text = body.dump();
  return "POST " + path +
         " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" +
         text;
}
inline std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
}

/// Texts as a whole and as streams, chats, grammars, what is read only, and what is wrong.
inline std::vector<std::string> mixed_requests() {
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

/// All that comes; none where that takes too long.
inline std::optional<std::string> answer_of(int port, const std::string& request) {
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

/// A number of the page of metrics; -1: it is not there.
inline int64_t metric(const std::string& metrics, const std::string& name) {
  const size_t at = metrics.find("\n" + name + " ");
  return at == std::string::npos ? -1 : std::stoll(metrics.substr(at + name.size() + 2));
}

}  // namespace skald::serve_test
