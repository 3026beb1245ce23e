// LocalService: answers requests of this process as the server answers those of its clients, without a network.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "serve/service.h"
#include "serve/workers/workers.h"

namespace skald::serve {

/// Any thread may use it. Options about clients say nothing here.
class LocalService {
 public:
  /// `loaded` is called once, on a thread of the service: with null where the model is there, else with the error that keeps
  /// it from being so.
  LocalService(ServeOptions options, std::function<void(std::exception_ptr error)> loaded);
  ~LocalService();  // requests that are not answered come to nothing
  LocalService(const LocalService&) = delete;
  LocalService& operator=(const LocalService&) = delete;

  Service& service() { return service_; }
  const Service& service() const { return service_; }
  /// Runs it on the thread of the calls, later.
  void post(Errand errand) noexcept { thread_.post(std::move(errand)); }
  /// Answers the request, on the thread of the calls.
  void call(std::shared_ptr<Exchange> exchange) noexcept;

 private:
  Workers thread_{1};  // where calls run; outlives the service, whose workers post to it
  Service service_;
};

}  // namespace skald::serve
