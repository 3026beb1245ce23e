// Service: the state that all requests share: models, workers, metrics, the log.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

#include "engine/prefix_digest.h"
#include "serve/chat/volatile_text.h"
#include "serve/fleet/peers.h"
#include "serve/http.h"
#include "serve/mcp/forwards.h"
#include "serve/metrics.h"
#include "serve/models/model_pool.h"
#include "serve/options.h"
#include "serve/request_context.h"
#include "serve/request_log.h"
#include "serve/workers/errand.h"
#include "serve/workers/fair_workers.h"
#include "serve/workers/slices.h"
#include "serve/workers/workers.h"

namespace skald::serve {

class Generation;

/// The one thread that runs the calls.
struct CallThread {
  std::function<void(Errand)> post;
  std::function<int64_t()> connections;  // of clients
};

class Service {
 public:
  explicit Service(ServeOptions options);
  ~Service();

  const ServeOptions& options() const { return options_; }
  FairWorkers& workers() { return workers_; }
  ModelPool& models() { return models_; }
  Metrics& metrics() { return metrics_; }
  RequestLog& log() { return log_; }
  const VolatileText& volatile_text() const { return volatile_text_; }

  /// The network's, or whose thread else runs the calls; to be set before the first one.
  void set_thread(CallThread thread);
  /// Runs it there, as long as there is that thread.
  void post(Errand errand) noexcept;
  int64_t connections() const;

  /// Does a part of the call's work on a worker: `bytes` of it are to be read. Exceptions of `run` are answered; they also
  /// come when the client has left or the work takes too long.
  void post_work(std::shared_ptr<RequestContext> context, std::function<void()> run, int64_t bytes = 0);
  /// Does a part of the call's work that waits for a program of the machine, on workers for that. Exceptions of `run` are
  /// answered; they also come when the client has left before it.
  void post_program(std::shared_ptr<RequestContext> context, std::function<void()> run);
  /// Sends the request to the MCP server that its path names, and answers with its answer. Throws ApiError: 404 for a name
  /// that the operator has not listed, 429 where too many wait.
  void post_forward(std::shared_ptr<RequestContext> context);
  /// Texts are embedded and ranked on a thread for that, where requests take turns: `step` says whether there is more. Its
  /// exceptions are answered. Throws ApiError (429) where too many wait.
  void post_reading(std::shared_ptr<RequestContext> context, std::function<bool()> step);
  /// Runs work that waits for disks, on a thread of its own. Exceptions of `run` are answered.
  void post_file_work(std::shared_ptr<RequestContext> context, std::function<void()> run);

  /// New requests are refused from now on.
  void drain() { draining_ = true; }
  bool draining() const { return draining_; }
  /// Requests that are being answered. From any thread.
  void add(const std::shared_ptr<Generation>& run);
  void remove(Generation* run);
  bool idle() const { return calls_ == 0; }
  /// Ends them with an error; on the calls' thread.
  void cancel_all();
  /// The calls' thread is gone: the remaining requests come to nothing.
  void close() noexcept;

  /// Says once for each key that parts of system texts are left out.
  void tell_volatile(const std::string& owner);

  /// Calls that are on their way.
  std::atomic<int64_t>& calls() { return calls_; }

  /// Adds up the statuses of all models' engines.
  EngineStatus status() const { return models_.status(); }
  /// Returns the pages of prompts that are in the memory of all models' engines.
  const PrefixDigest& prefixes() const { return *options_.engine.prefix_digest; }
  /// Returns the other servers of the fleet; null: there is none.
  Peers* peers() { return peers_.get(); }
  /// Returns a word for this server, as long as it runs, by which it knows itself among its peers.
  const std::string& word() const { return word_; }
  /// Zeros without a folder for pages.
  PrefixStore::Status disk() const;

 private:
  const std::string word_;
  Metrics metrics_;  // before the options, whose engine reports to it
  ServeOptions options_;
  RequestLog log_;
  VolatileText volatile_text_;
  mutable std::mutex mutex_;
  CallThread thread_ = {};
  std::atomic<bool> draining_ = false;
  std::atomic<int64_t> calls_ = 0;
  std::unordered_map<Generation*, std::weak_ptr<Generation>> runs_;
  std::set<std::string> told_volatile_;  // owners
  // Last: engines that go end runs, which use the rest.
  FairWorkers workers_;
  ModelPool models_;
  FairWorkers programs_{{}};
  Workers files_{1};
  Forwards forwards_;
  Slices readings_;
  std::unique_ptr<Peers> peers_;
};

}  // namespace skald::serve
