// What the connections of a server share.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <unordered_set>

#include "serve/http.h"
#include "serve/http/loop.h"
#include "serve/http/tls.h"

namespace skald::serve {

class Connection;

class Network {
 public:
  Network(HttpOptions options, HttpServer::Handler handle, std::function<HttpAnswer(const HttpRefusal&)> refuse);
  ~Network();

  const HttpOptions options;
  const HttpServer::Handler handle;
  const std::unique_ptr<Tls> tls;  // null: plain
  Loop loop;
  std::array<char, size_t{64} << 10> scratch;  // where bytes are received: an idle connection holds no buffer

  int64_t unread = 0;  // bytes that connections hold of requests that are not complete

  /// Keeps a connection alive until it closes.
  void add(std::shared_ptr<Connection> connection);
  void remove(const std::shared_ptr<Connection>& connection);
  std::vector<std::shared_ptr<Connection>> connections() const { return {connections_.begin(), connections_.end()}; }
  int64_t count() const { return count_; }  // from any thread
  /// Is called whenever one was removed.
  std::function<void()> on_removed = {};

  /// The client's `id` where it may be used, else one that is made up.
  std::string request_id(std::string_view id);
  /// What `refuse` says; a bare answer if it throws.
  HttpAnswer refusal(const HttpRefusal& why) const;

 private:
  std::function<HttpAnswer(const HttpRefusal&)> refuse_;
  std::unordered_set<std::shared_ptr<Connection>> connections_ = {};
  std::atomic<int64_t> count_ = 0;
  std::mt19937_64 random_{std::random_device{}()};
};

inline HttpClock::duration seconds_as_duration(double seconds) {
  return std::chrono::duration_cast<HttpClock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace skald::serve
