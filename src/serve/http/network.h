// The shared state of a server's connections.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <unordered_set>

#include "serve/http.h"
#include "serve/http/body_budget.h"
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
  HttpLoop loop;
  std::array<char, size_t{64} << 10> scratch;  // where bytes are received: an idle connection holds no buffer

  const std::shared_ptr<BodyBudget> budget;

  /// Keeps a connection alive until it closes.
  void add(std::shared_ptr<Connection> connection);
  void remove(const std::shared_ptr<Connection>& connection);
  void close_all() noexcept;
  std::vector<std::shared_ptr<Connection>> connections() const { return {connections_.begin(), connections_.end()}; }
  int64_t count() const { return count_; }  // from any thread
  /// Is called whenever one was removed.
  std::function<void()> on_removed = {};

  /// Whose a request's bytes are.
  std::string client_of(const HttpRequest& head) const { return options.client_of ? options.client_of(head) : head.peer; }
  /// Closes connections whose clients read most slowly, where too much is held for them: for all, or for this one.
  void make_room(const std::string& client);
  /// Returns the client's `id` where it may be used, else one that is made up.
  std::string request_id(std::string_view id);
  /// Returns the answer of `refuse`; a bare one if it throws.
  HttpAnswer refusal(const HttpRefusal& why) const;

 private:
  bool cut_slowest(const std::string* client, int64_t several, HttpClock::duration least);

  std::function<HttpAnswer(const HttpRefusal&)> refuse_;
  std::unordered_set<std::shared_ptr<Connection>> connections_ = {};
  std::atomic<int64_t> count_ = 0;
  std::mt19937_64 random_{std::random_device{}()};
};

inline HttpClock::duration seconds_as_duration(double seconds) {
  return std::chrono::duration_cast<HttpClock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace skald::serve
