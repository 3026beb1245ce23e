#include "serve/local/local_service.h"

#include <future>
#include <limits>
#include <utility>

#include "base/guarded.h"
#include "serve/router.h"

namespace skald::serve {
namespace {

// The process asks itself: no client is refused, prompts are not cut for the sake of others, and there is no log.
ServeOptions without_clients(ServeOptions options) {
  options.log_requests = false;
  options.engine.schedule.max_itl_ms = 0;
  options.engine.schedule.max_waiting = std::numeric_limits<int64_t>::max();
  options.api_keys.clear();
  return options;
}

}  // namespace

LocalService::LocalService(ServeOptions options, std::function<void(std::exception_ptr error)> loaded)
    : service_(without_clients(std::move(options))) {
  service_.set_thread({[this](Errand errand) { thread_.post(std::move(errand)); }, {}});
  service_.models().start(std::move(loaded));
}

LocalService::~LocalService() {
  std::promise<void> closed;
  surely("serve: the end", [&] {
    thread_.post([&] {
      service_.close();
      closed.set_value();
    });
  });
  closed.get_future().wait();
}

void LocalService::call(std::shared_ptr<Exchange> exchange) noexcept {
  surely("serve: a call", [&] { thread_.post([this, exchange] { route(service_, exchange); }); });
}

}  // namespace skald::serve
