#include "serve/server.h"

#include <chrono>
#include <exception>
#include <string_view>
#include <utility>

#include "base/guarded.h"
#include "serve/gate.h"
#include "serve/http/systemd.h"
#include "serve/router.h"
#include "serve/service.h"
#include "serve/stop_signals.h"

namespace skald::serve {
namespace {

constexpr std::chrono::milliseconds kLookEvery{20};
constexpr std::string_view kEnd = "serve: the end";

// Ends the server when its requests are over, or when its time is.
class Drain {
 public:
  Drain(Service& service, HttpServer& network) : service_(service), network_(network) {}

  /// On the network's thread, at each signal.
  void signal() {
    if (++signals_ > 1) return end_now();
    guarded("serve: the log", [this] { service_.log().line(LogLevel::kInfo, "draining"); });
    service_.drain();
    notify("STOPPING=1");
    until_ = HttpClock::now() + std::chrono::milliseconds(static_cast<int64_t>(service_.options().drain * 1000));
    look();
  }
  bool interrupted() const { return signals_ > 1; }

 private:
  void end_now() {
    guarded(kEnd, [this] { service_.cancel_all(); });
    surely(kEnd, [this] { network_.stop(); });
  }
  // Pages still to be written to the disk have the rest of the time; engines tell how many are left then.
  void look() {
    if (service_.idle() && service_.status().unwritten_pages == 0) return surely(kEnd, [this] { network_.stop(); });
    if (HttpClock::now() >= until_) return end_now();
    surely("serve: draining", [this] { network_.after(kLookEvery, [this] { look(); }); });
  }

  Service& service_;
  HttpServer& network_;
  int signals_ = 0;
  HttpClock::time_point until_;
};

// Bytes that are no request are counted and logged as one.
HttpAnswer refuse(Service& service, const HttpRefusal& refusal) {
  service.metrics().count_request("other", refusal.status);
  service.log().line(LogLevel::kInfo, "request",
                     {{"id", refusal.id},
                      {"method", refusal.method},
                      {"path", refusal.path},
                      {"status", refusal.status},
                      {"error", refusal.message}});
  return error_answer(ApiError(refusal.status, refusal.message), dialect_of(refusal.path), refusal.id);
}

// Tells the user who started the server what it serves.
void tell_ready(Service& service) {
  Json what = Json::object();
  const ServeOptions& options = service.options();
  if (service.models().single()) {
    const Lease model = service.models().loaded().front();
    what = {{"model", model->id()}, {"name", model->model().name()}};
    if (!model->path().empty()) what["file"] = model->path();
    if (model->writes()) what["n_ctx"] = model->engine().n_ctx();
  } else {
    what = {{"models_dir", options.models_dir}, {"models", service.models().list().size()}};
  }
  what["parallel"] = options.engine.schedule.n_parallel;
  service.log().line(LogLevel::kInfo, "ready", what);
}

void warn_of_open_door(Service& service, const std::string& address) {
  const ServeOptions& options = service.options();
  if (!options.api_keys.empty() || address.starts_with("unix:") || listens_here_only(options)) return;
  service.log().line(LogLevel::kWarn,
                     "any program that reaches " + address + " may use this server: --api-key-file asks for keys");
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(ServeOptions options)
      : service_(std::move(options)),
        network_(
            service_.options().http, [this](std::shared_ptr<Exchange> exchange) { route(service_, std::move(exchange)); },
            [this](const HttpRefusal& refusal) { return refuse(service_, refusal); }) {
    service_.set_thread(
        {[this](Errand errand) { network_.post(std::move(errand)); }, [this] { return network_.connections(); }});
  }
  // On every path: no call comes to the network any more, and the remaining requests come to nothing.
  ~Impl() { service_.close(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string address() const { return network_.address(); }
  bool is_ready() { return !service_.models().single() || service_.models().is_ready(); }

  Ended run() {
    warn_of_open_door(service_, address());
    service_.models().start([this](const std::exception_ptr& error) {
      if (error) return surely(kEnd, [&] { end_with(error); });
      tell_ready(service_);
      notify("READY=1");
    });
    network_.run();
    service_.close();
    if (failed_) std::rethrow_exception(failed_);
    return drain_.interrupted() ? Ended::kInterrupted : Ended::kDrained;
  }

  void stop() {
    network_.post([this] { drain_.signal(); });
  }

 private:
  // A model that is loaded after the end finds no network.
  void end_with(const std::exception_ptr& error) {
    service_.post([this, error] {
      failed_ = error;
      surely(kEnd, [this] { network_.stop(); });
    });
  }

  Service service_;
  HttpServer network_;
  Drain drain_{service_, network_};
  std::exception_ptr failed_;
};

Server::Server(ServeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Server::~Server() = default;
std::string Server::address() const { return impl_->address(); }
bool Server::is_ready() const { return impl_->is_ready(); }
Ended Server::run() { return impl_->run(); }
void Server::stop() { impl_->stop(); }

Ended run_server(ServeOptions options, const std::function<void(const std::string& address)>& listening) {
  StopSignals signals;
  const std::function<void()> on_stop = options.on_stop;
  Server server(std::move(options));
  struct NoMoreSignals {
    ~NoMoreSignals() { signals.end(); }
    StopSignals& signals;
  } const no_more{signals};
  listening(server.address());
  signals.begin([&] {
    if (on_stop) on_stop();
    server.stop();
  });
  return server.run();
}

}  // namespace skald::serve
