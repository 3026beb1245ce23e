// HttpServer: a listener, an acceptor and the loop that runs them.
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "serve/http.h"
#include "serve/http/acceptor.h"
#include "serve/http/connection.h"
#include "serve/http/listener.h"
#include "serve/http/network.h"

namespace skald::serve {
namespace {

void raise_open_files() {
  rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpOptions options, Handler handle, std::function<HttpAnswer(const HttpRefusal&)> refuse)
      : network_(std::make_shared<Network>(std::move(options), std::move(handle), std::move(refuse))),
        listener_(network_->options),
        acceptor_(std::make_shared<Acceptor>(network_, listener_.take(), listener_.is_unix())) {
    raise_open_files();
    acceptor_->start();
  }

  ~Impl() {
    network_->on_removed = {};
    acceptor_->close();
    network_->close_all();
    network_->loop.end();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string address() const {
    if (listener_.is_unix()) return "unix:" + listener_.address();
    return (network_->tls ? "https://" : "http://") + listener_.address();
  }

  // On the network's thread. Without memory for the grace there is none.
  void stop(std::chrono::milliseconds grace) {
    acceptor_->close();
    network_->on_removed = [this] {
      if (network_->count() == 0) network_->loop.stop();
    };
    const bool waits = guarded("serve: the end", [&] {
      for (const auto& connection : network_->connections()) connection->finish();
      network_->loop.after(grace, [this] { network_->loop.stop(); });
    });
    if (!waits || network_->count() == 0) network_->loop.stop();
  }

  Network& network() const { return *network_; }

 private:
  std::shared_ptr<Network> network_;
  Listener listener_;
  std::shared_ptr<Acceptor> acceptor_;
};

HttpServer::HttpServer(HttpOptions options, Handler handle, std::function<HttpAnswer(const HttpRefusal&)> refuse)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handle), std::move(refuse))) {}
HttpServer::~HttpServer() = default;

std::string HttpServer::address() const { return impl_->address(); }
int64_t HttpServer::held_bytes() const { return impl_->network().budget->held(); }
int64_t HttpServer::connections() const { return impl_->network().count(); }

void HttpServer::run() noexcept {
  while (!guarded("serve: the network", [this] { impl_->network().loop.run(); })) {
  }
}

void HttpServer::stop(std::chrono::milliseconds grace) {
  impl_->network().loop.post([this, grace] { impl_->stop(grace); });
}

void HttpServer::post(Errand errand) noexcept { impl_->network().loop.post(std::move(errand)); }

void HttpServer::after(std::chrono::milliseconds delay, std::function<void()> f) {
  // Timers are the loop's thread's.
  impl_->network().loop.post(
      [this, delay, f = std::move(f)]() mutable { impl_->network().loop.after(delay, std::move(f)); });
}

}  // namespace skald::serve
