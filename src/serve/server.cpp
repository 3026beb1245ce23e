#include "serve/server.h"

#include <chrono>
#include <exception>
#include <utility>

#include "serve/gate.h"
#include "serve/http/systemd.h"
#include "serve/router.h"
#include "serve/service.h"
#include "serve/stop_signals.h"

namespace skald::serve {
namespace {

constexpr std::chrono::milliseconds kLookEvery{20};

// Ends the server when what runs is over, or when its time is.
class Drain {
 public:
  Drain(Service& service, HttpServer& network) : service_(service), network_(network) {}

  /// On the network's thread, at each signal.
  void signal() {
    if (++signals_ > 1) return end_now();
    service_.log().line(LogLevel::kInfo, "draining");
    service_.drain();
    notify("STOPPING=1");
    until_ = HttpClock::now() + std::chrono::milliseconds(static_cast<int64_t>(service_.options().drain * 1000));
    look();
  }
  bool interrupted() const { return signals_ > 1; }

 private:
  void end_now() {
    service_.cancel_all();
    network_.stop();
  }
  // What is still to be written to the disk has the rest of the time; engines tell what is left then.
  void look() {
    if (service_.idle() && service_.status().unwritten_pages == 0) return network_.stop();
    if (HttpClock::now() >= until_) return end_now();
    network_.after(kLookEvery, [this] { look(); });
  }

  Service& service_;
  HttpServer& network_;
  int signals_ = 0;
  HttpClock::time_point until_;
};

// What is no request is counted and logged as one.
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

// What is served, for the one who started it.
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

Ended run_server(ServeOptions options, const std::function<void(const std::string& address)>& listening) {
  StopSignals signals;
  Service service(std::move(options));
  HttpServer network(
      service.options().http, [&](std::shared_ptr<Exchange> exchange) { route(service, std::move(exchange)); },
      [&](const HttpRefusal& refusal) { return refuse(service, refusal); });
  service.set_thread({[&](std::function<void()> f) { network.post(std::move(f)); }, [&] { return network.connections(); }});
  listening(network.address());
  warn_of_open_door(service, network.address());
  Drain drain(service, network);
  signals.begin([&] { network.post([&] { drain.signal(); }); });
  std::exception_ptr failed;
  service.models().start([&](const std::exception_ptr& error) {
    if (!error) {
      tell_ready(service);
      return notify("READY=1");
    }
    failed = error;
    network.post([&] { network.stop(); });
  });
  network.run();
  signals.end();
  service.close();
  if (failed) std::rethrow_exception(failed);
  return drain.interrupted() ? Ended::kInterrupted : Ended::kDrained;
}

}  // namespace skald::serve
