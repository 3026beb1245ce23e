#include "serve/service.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "serve/api_error.h"
#include "serve/gate.h"
#include "serve/mcp/forward_mcp.h"
#include "serve/prefix_stores.h"
#include "serve/run/generation.h"

namespace skald::serve {
namespace {

constexpr int kMostForwards = 16;

// Half of the CPUs at most, and half of those for long work: the engine wants the others.
FairWorkers::Limits worker_limits(const ServeOptions& options) {
  constexpr int64_t kLeast = 64, kMost = 1 << 20;  // of requests that take long to read
  constexpr double kMostSeconds = 10;
  const int64_t waiting = options.engine.schedule.max_waiting;
  const bool has_clients = waiting < std::numeric_limits<int64_t>::max();  // a batch is its owner's alone
  const int together = std::max(2, static_cast<int>(std::thread::hardware_concurrency()) / 2);
  return {.together = together,
          .long_ones = together / 2,
          .unfinished = static_cast<int>(std::clamp(waiting / 2, kLeast, kMost)),
          .seconds = has_clients ? kMostSeconds : 0};
}

// An exception of `f` is the call's answer.
template <class F>
void answering(RequestContext& context, const F& f) noexcept {
  try {
    f();
  } catch (const std::exception& e) {
    context.give_up(e);
  }
}

FairWorkers::Task task_of(std::shared_ptr<RequestContext> context, std::function<void()> run, int64_t bytes) {
  FairWorkers::Task task;
  task.client = context->client();
  task.bytes = bytes;
  task.look = [context = context.get()] {
    if (context->gone()) context->refuse_gone();
  };
  task.run = [context = std::move(context), run = std::move(run)]() mutable {
    answering(*context, [&] {
      if (context->gone()) context->refuse_gone();
      run();
    });
    run = {};
  };
  return task;
}

const McpServer& mcp_server_of(const ServeOptions& options, std::string_view name) {
  const auto found = std::ranges::find(options.mcp, name, &McpServer::name);
  if (found == options.mcp.end()) throw ApiError(404, "there is no MCP server of that name: see GET /mcp");
  return *found;
}

// Adds the options that all engines share.
ServeOptions observed(ServeOptions options, Metrics& metrics) {
  options.engine.prefix_store = open_prefix_store(options);
  options.prefix_cache_url.clear();  // secrets
  options.prefix_cache_password.clear();
  options.http.client_of = [keys = ServeOptions{.api_keys = options.api_keys}](const HttpRequest& head) {
    return client_of(keys, head);
  };
  options.engine.prefix_digest = std::make_shared<PrefixDigest>();
  options.engine.cache.slot_files = !options.slot_save_path.empty();
  options.engine.on_step = [&metrics](const StepReport& step) { metrics.add(Metrics::Time::kStep, step.seconds); };
  return options;
}

// Of the servers of a fleet, which have the same keys.
std::unique_ptr<Peers> make_peers(const ServeOptions& options, const std::string& word) {
  if (options.peers.empty()) return nullptr;
  PeersOptions out{.urls = options.peers, .server = word};
  out.every = std::chrono::milliseconds(static_cast<int64_t>(options.peers_every * 1000));
  for (const std::string& key : options.api_keys) out.keys.emplace(owner_of(key), key);
  if (out.keys.empty()) out.keys.emplace("", "");
  return std::make_unique<Peers>(std::move(out));
}

}  // namespace

Service::Service(ServeOptions options)
    : word_(random_id()),
      options_(observed(std::move(options), metrics_)),
      log_(options_.log_json, options_.log_requests),
      volatile_text_(options_.volatile_system),
      workers_(worker_limits(options_)),
      models_(options_, workers_),
      forwards_(options_.mcp.empty() ? 0 : kMostForwards),
      readings_(options_.engine.schedule.max_waiting),
      peers_(make_peers(options_, word_)) {}

// Workers use the models, which use the workers.
Service::~Service() {
  forwards_.close();
  files_.close();
  programs_.close();
  workers_.close();
}

void Service::set_thread(CallThread thread) {
  const std::lock_guard lock(mutex_);
  thread_ = std::move(thread);
}

void Service::post(Errand errand) noexcept {
  const std::lock_guard lock(mutex_);
  if (thread_.post) thread_.post(std::move(errand));
}

int64_t Service::connections() const {
  const std::lock_guard lock(mutex_);
  return thread_.connections ? thread_.connections() : 0;
}

void Service::post_work(std::shared_ptr<RequestContext> context, std::function<void()> run, int64_t bytes) {
  workers_.post(task_of(std::move(context), std::move(run), bytes));
}

void Service::post_program(std::shared_ptr<RequestContext> context, std::function<void()> run) {
  programs_.post(task_of(std::move(context), std::move(run), 0));
}

void Service::post_forward(std::shared_ptr<RequestContext> context) {
  const McpServer& server = mcp_server_of(options_, context->part);
  const std::string client = context->client();
  const McpLimits limits{.silence = std::chrono::seconds(options_.mcp_timeout)};
  const bool posted = forwards_.post(client, [this, &server, limits, context = std::move(context)] {
    answering(*context, [&] {
      forward_mcp(*context, server, limits, [&] {
        if (context->gone()) context->refuse_gone();
        if (forwards_.ended()) throw ApiError(503, "the server is being stopped");
      });
    });
  });
  if (!posted) throw ApiError(429, "too many requests to MCP servers wait for their answers");
}

void Service::post_reading(std::shared_ptr<RequestContext> context, std::function<bool()> step) {
  const std::string client = context->client();
  const bool posted = readings_.post(client, [context = std::move(context), step = std::move(step)] {
    bool more = false;
    answering(*context, [&] {
      if (context->gone()) context->refuse_gone();
      more = step();
    });
    return more;
  });
  if (!posted) throw ApiError(429, "too many requests wait");
}

void Service::post_file_work(std::shared_ptr<RequestContext> context, std::function<void()> run) {
  files_.post([context = std::move(context), run = std::move(run)] { answering(*context, run); });
}

void Service::add(const std::shared_ptr<Generation>& run) {
  const std::lock_guard lock(mutex_);
  runs_.emplace(run.get(), run);
}

void Service::remove(Generation* run) {
  const std::lock_guard lock(mutex_);
  runs_.erase(run);
}

void Service::tell_volatile(const std::string& owner) {
  {
    const std::lock_guard lock(mutex_);
    if (!told_volatile_.insert(owner).second) return;
  }
  log_.line(LogLevel::kInfo, "system texts begin with what changes from request to request: that is left out of prompts");
}

void Service::cancel_all() {
  std::vector<std::shared_ptr<Generation>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, run] : runs_)
      if (std::shared_ptr<Generation> alive = run.lock()) all.push_back(std::move(alive));
  }
  for (const std::shared_ptr<Generation>& run : all) guarded("serve: the end of a request", [&] { run->cut_off(); });
  forwards_.end();
  models_.refuse_waiting(std::make_exception_ptr(ApiError(503, "the server is being stopped")));
}

void Service::close() noexcept {
  guarded("serve: the end", [this] { cancel_all(); });
  set_thread({});
}

PrefixStore::Status Service::disk() const {
  const std::shared_ptr<PrefixStore>& store = options_.engine.prefix_store;
  return store ? store->status() : PrefixStore::Status{};
}

}  // namespace skald::serve
