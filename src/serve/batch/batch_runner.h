// BatchRunner: keeps the engine busy with a batch's requests.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "serve/batch/batch_order.h"
#include "serve/batch/batch_output.h"
#include "serve/local/local_service.h"

namespace skald::serve {

/// Requests are added on one thread, and run on one of the runner's own as if they had come from the network.
class BatchRunner {
 public:
  /// Waits until the model is loaded. Throws the error that keeps it from being so, and nothing where `go_on` says no
  /// meanwhile.
  BatchRunner(ServeOptions options, BatchFile& answers, BatchFile& failures, const std::function<bool()>& go_on);
  ~BatchRunner();  // drops incomplete requests
  BatchRunner(const BatchRunner&) = delete;
  BatchRunner& operator=(const BatchRunner&) = delete;

  /// Waits until there is room. False when `go_on` says no, which is asked ten times a second. Throws the error that kept an
  /// answer from being written.
  bool add(BatchRequest request, const std::function<bool()>& go_on);
  /// An answer to a line that is no request.
  void add(BatchAnswer answer);
  /// Begins with the added requests: they are collected before, and until there is no room for more, to be sorted.
  void begin();
  /// Waits until all are answered; as add().
  bool finish(const std::function<bool()>& go_on);

  int64_t answered() const;
  int64_t failed() const;
  EngineStatus status() { return local_.service().status(); }

 private:
  template <class Ready>
  bool wait(const std::function<bool()>& go_on, Ready ready);
  void run_more();
  void post(std::function<void()> f);
  void fail() noexcept;
  void run(const BatchRequest& request);
  void over(const BatchAnswer& answer);
  void write(const BatchAnswer& answer);
  int64_t most_running() const;

  BatchFile& answers_;
  BatchFile& failures_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  BatchOrder waiting_;
  int64_t running_ = 0, answered_ = 0, failed_ = 0;
  bool begun_ = false, stopped_ = false, loaded_ = false;
  std::exception_ptr failure_;
  LocalService local_;  // last: its calls use the rest
};

}  // namespace skald::serve
