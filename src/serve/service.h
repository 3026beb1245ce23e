// Service: what all requests share: models, workers, metrics, the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "serve/call.h"
#include "serve/http.h"
#include "serve/metrics.h"
#include "serve/model_shelf.h"
#include "serve/options.h"
#include "serve/request_log.h"
#include "serve/volatile_text.h"
#include "serve/workers.h"

namespace skald::serve {

class Run;

class Service {
 public:
  explicit Service(ServeOptions options);
  ~Service();

  const ServeOptions& options() const { return options_; }
  Workers& workers() { return workers_; }
  ModelShelf& models() { return models_; }
  Metrics& metrics() { return metrics_; }
  RequestLog& log() { return log_; }
  const VolatileText& volatile_text() const { return volatile_text_; }

  /// The network's thread, which runs the calls; to be set before the first one.
  void set_network(HttpServer* network);
  /// Runs `f` there.
  void post(std::function<void()> f);
  int64_t connections() const;

  /// New requests are refused from now on.
  void drain() { draining_ = true; }
  bool draining() const { return draining_; }
  /// Requests that are being answered. From any thread.
  void add(const std::shared_ptr<Run>& run);
  void remove(Run* run);
  bool idle() const { return calls_ == 0; }
  /// Ends them with an error; on the network's thread.
  void cancel_all();
  /// The network is gone: what is left comes to nothing.
  void close();

  /// Says once for each key that parts of system texts are left out.
  void tell_volatile(const std::string& owner);

  /// Calls that are on their way.
  std::atomic<int64_t>& calls() { return calls_; }

  /// What the engines of all models say, added up.
  EngineStatus status();
  /// Zeros without a folder for pages.
  PrefixStore::Status disk() const;

 private:
  Metrics metrics_;  // before the options, whose engine reports to it
  ServeOptions options_;
  RequestLog log_;
  VolatileText volatile_text_;
  Workers workers_;
  ModelShelf models_;
  mutable std::mutex mutex_;
  HttpServer* network_ = nullptr;
  std::atomic<bool> draining_ = false;
  std::atomic<int64_t> calls_ = 0;
  std::unordered_map<Run*, std::weak_ptr<Run>> runs_;
  std::set<std::string> told_volatile_;  // owners
};

}  // namespace skald::serve
