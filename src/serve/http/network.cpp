#include "serve/http/network.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/log.h"
#include "base/terminal_text.h"
#include "serve/http/connection.h"
#include "serve/http/head.h"

namespace skald::serve {
namespace {

std::unique_ptr<Tls> make_tls(const HttpOptions& options) {
  if (options.ssl_key.empty() && options.ssl_cert.empty()) return nullptr;
  if (options.ssl_key.empty() || options.ssl_cert.empty())
    fail(Errc::kBadInput, "TLS wants a key and a certificate, and there is only {}{}", options.ssl_key, options.ssl_cert);
  return std::make_unique<Tls>(options.ssl_key, options.ssl_cert);
}

}  // namespace

Network::Network(HttpOptions given, HttpServer::Handler handler, std::function<HttpAnswer(const HttpRefusal&)> refuse)
    : options(std::move(given)),
      handle(std::move(handler)),
      tls(make_tls(options)),
      budget(std::make_shared<BodyBudget>(options.max_body_total)),
      refuse_(std::move(refuse)) {}
Network::~Network() = default;

void Network::add(std::shared_ptr<Connection> connection) {
  connections_.insert(std::move(connection));
  count_ = static_cast<int64_t>(connections_.size());
}

void Network::remove(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection);
  count_ = static_cast<int64_t>(connections_.size());
  if (on_removed) on_removed();
}

// Each removes itself.
void Network::close_all() noexcept {
  while (!connections_.empty()) {
    const std::shared_ptr<Connection> one = *connections_.begin();
    one->close();
  }
}

void Network::make_room(const std::string& client) {
  using namespace std::chrono_literals;
  constexpr HttpClock::duration kAny = HttpClock::duration::min(), kGrace = 2s;
  constexpr int64_t kOneOfSeveral = 2;
  while (budget->is_over(client) && cut_slowest(&client, kOneOfSeveral, budget->is_over() ? kAny : kGrace)) {
  }
  while (budget->is_over() && cut_slowest(nullptr, 1, kAny)) {
  }
}

// Of those that have something to read, where there are at least `several`, the one that is late most, and by `least`.
bool Network::cut_slowest(const std::string* client, int64_t several, HttpClock::duration least) {
  std::shared_ptr<Connection> slowest;
  const auto now = HttpClock::now();
  for (const auto& connection : connections_) {
    if (connection->unsent() == 0 || (client && connection->client() != *client)) continue;
    --several;
    if (now - connection->stepped() < least) continue;
    least = now - connection->stepped();
    slowest = connection;
  }
  if (!slowest || several > 0) return false;
  slowest->cut();
  return true;
}

std::string Network::request_id(std::string_view id) {
  return is_request_id(id) ? std::string(id) : fmt::format("{:016x}{:016x}", random_(), random_());
}

HttpAnswer Network::refusal(const HttpRefusal& why) const {
  try {
    return refuse_(why);
  } catch (const std::exception& e) {
    log(LogLevel::kError, "no text for an answer with status {}: {}", why.status, terminal_text(e.what()));
    return {.status = why.status};
  }
}

}  // namespace skald::serve
