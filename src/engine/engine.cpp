#include "skald/engine.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "backend/backend.h"
#include "base/cpu_placement.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/inbox.h"
#include "engine/loop.h"
#include "loading/loaded_model.h"
#include "stepping/runner.h"
#include "stepping/static_runner.h"

namespace skald {
namespace {

void want(bool ok, const char* name, const char* range) {
  if (!ok) fail(Errc::kBadInput, "{}: want {}", name, range);
}

KvStorage storage(const EngineOptions& o) {
  return {.k_type = o.cache_type_k, .v_type = o.cache_type_v, .layout = o.kv_layout, .rotate = o.kv_rotate};
}

ThreadOptions threads(const EngineOptions& o) {
  return {.threads = o.n_threads, .threads_batch = o.n_threads_batch, .cpu_range = o.cpu_range, .numa = o.numa};
}

DeviceOptions device(const EngineOptions& o) {
  return {.n_threads = o.n_threads,
          .n_threads_batch = o.n_threads_batch,
          .cpu_range = o.cpu_range,
          .numa = o.numa,
          .fused = o.fused,
          .repack = o.repack,
          .progress = o.progress};
}

// The flags that ask for more than a static cache can do.
void check_static(const EngineOptions& o) {
  o.static_shapes.check();
  const std::pair<bool, const char*> others[] = {{o.sparq.on(), "--sparq"},
                                                 {o.context_shift, "--context-shift"},
                                                 {o.n_parallel != 1, "--parallel"},
                                                 {o.swa_sinks != 0, "--swa-sinks"},
                                                 {!o.fused, "--no-fused"},
                                                 {o.cache_type_k != "f16", "--cache-type-k (-ctk): see --kv-bits"},
                                                 {o.cache_type_v != "f16", "--cache-type-v (-ctv): see --kv-bits"},
                                                 {o.kv_layout != "auto", "--kv-layout"}};
  for (const auto& [given, flag] : others)
    if (given) fail(Errc::kBadInput, "--static does not go with {}", flag);
}

int64_t longest(const EngineOptions& o, const LoadedModel& model) {
  if (o.n_ctx) return o.n_ctx;
  return o.static_shapes.on() ? std::numeric_limits<int32_t>::max() : model.n_ctx_train();
}

std::unique_ptr<Stepper> make_stepper(const LoadedModel& model, Backend& backend, const EngineOptions& o) {
  if (o.static_shapes.on()) return std::make_unique<StaticRunner>(model.step_model(), backend, o.static_shapes, o.mlock);
  return std::make_unique<Runner>(model.step_model(), backend,
                                  KvOptions{.max_keys = longest(o, model),
                                            .max_rows = std::min(o.n_batch, o.n_ubatch),
                                            .n_sequences = o.n_parallel,
                                            .sinks = o.swa_sinks,
                                            .storage = storage(o),
                                            .sparq = o.sparq,
                                            .lock = o.mlock});
}

int64_t sum(std::span<const MemoryUse::KvGroup> groups, int64_t MemoryUse::KvGroup::*bytes) {
  int64_t all = 0;
  for (const MemoryUse::KvGroup& g : groups) all += g.*bytes;
  return all;
}

struct NewRequest {
  RequestId id;
  Request request;
  std::promise<Result> promise;
};
struct Cancel {
  RequestId id;
};

}  // namespace

void EngineOptions::check() const {
  want(n_ctx >= 0, "ctx-size", "0 (the model's) or more");
  want(n_parallel >= 1 && n_parallel <= 4096, "parallel", "1 to 4096");
  plan_threads(threads(*this), this_machine());
  want(n_batch >= 1, "batch-size", "1 or more");
  want(n_ubatch >= 1 && n_ubatch <= 65536, "ubatch-size", "1 to 65536");
  want(swa_sinks >= 0, "swa-sinks", "0 or more");
  skald::check(storage(*this));
  sparq.check();
  want(fused || !sparq.on(), "no-fused", "no sparse decoding with it");
  if (static_shapes.on()) check_static(*this);
}

int64_t MemoryUse::keys() const { return sum(kv, &KvGroup::keys); }
int64_t MemoryUse::values() const { return sum(kv, &KvGroup::values); }
int64_t MemoryUse::index() const { return sum(kv, &KvGroup::index); }

int64_t Request::n_kept() const {
  const auto n = static_cast<int64_t>(prompt.size());
  return keep < 0 ? n : std::min<int64_t>(keep, n);
}

/// The engine's thread and what it alone may touch; other threads reach it through the inbox.
class Engine::Impl {
 public:
  Impl(const Model& model, const EngineOptions& options)
      : model_(model.loaded()),
        n_ctx_(longest(options, *model_)),
        n_parallel_(options.n_parallel),
        budget_(std::min(options.n_batch, options.n_ubatch)),
        shift_(options.context_shift),
        backend_(make_backend(device(options))),
        stepper_(make_stepper(*model_, *backend_, options)) {
    // A shift keeps half the context or more: the sinks stay behind whoever looks at them.
    want(2 * int64_t{options.swa_sinks} <= n_ctx_, "swa-sinks", "at most half the context");
    if (shift_ && model_->has_prefix())
      fail(Errc::kUnsupported,
           "context-shift: the beginning of this model's sequences is seen in both directions and must stay");
    stepper_->compile();  // what cannot run fails here, not in a request
    memory_.weights = stepper_->weights().bytes();
    memory_.kv_storage = stepper_->kv_storage();
    publish_memory();
    if (options.swa_sinks && std::ranges::all_of(memory_.kv, [](const MemoryUse::KvGroup& g) { return !g.window; }))
      log(LogLevel::kWarn, "swa-sinks: this model has no sliding window that is shorter than the context");
    thread_ = std::thread([this] { serve(); });
  }

  ~Impl() {
    inbox_.close();
    thread_.join();
  }

  Submission submit(Request request) {
    request.sampling.check();
    want(!request.prompt.empty(), "prompt", "at least one token");
    want(request.max_tokens >= -1, "max_tokens", "-1 (no limit) or more");
    want(request.keep >= -1, "keep", "-1 (the whole prompt) or more");
    want(request.n >= 1 && request.n <= n_parallel_, "n", "1 to the number of sequences that run at the same time");
    if (static_cast<int64_t>(request.prompt.size()) > n_ctx_)
      fail(Errc::kBadInput, "the prompt has {} tokens, the context {}", request.prompt.size(), n_ctx_);
    if (shift_ && request.n_kept() > n_ctx_ - 2)
      fail(Errc::kBadInput, "keep: {} tokens of the prompt leave nothing to shift in a context of {}", request.n_kept(),
           n_ctx_);
    for (TokenId id : request.prompt)
      if (id < 0 || id >= model_->n_vocab())
        fail(Errc::kBadInput, "token id {} is outside the vocabulary of {}", id, model_->n_vocab());
    if (const int64_t prefix = model_->prefix_length(request.prompt); prefix > budget_)
      fail(Errc::kBadInput,
           "the prompt's first {} tokens must be computed at once, but steps have {}: raise ubatch-size (-ub) and "
           "batch-size (-b)",
           prefix, budget_);
    const RequestId id = next_id_++;
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
    if (!inbox_.post(NewRequest{id, std::move(request), std::move(promise)}))
      fail(Errc::kBadInput, "the engine is being destroyed and takes no more requests");
    return {id, std::move(result)};
  }

  void cancel(RequestId id) { inbox_.post(Cancel{id}); }

  int64_t n_ctx() const { return n_ctx_; }
  MemoryUse memory() const {
    const std::lock_guard lock(memory_mutex_);
    return memory_;
  }

 private:
  using Message = std::variant<NewRequest, Cancel>;

  LoopOptions loop_options() {
    return {.limits = {.n_ctx = n_ctx_, .shift = shift_},
            .n_parallel = n_parallel_,
            .rows = budget_,
            .tokenizer = model_->find_tokenizer(),
            .prefix = [this](std::span<const TokenId> prompt) { return model_->prefix_length(prompt); },
            .share = [this](int64_t n, const std::function<void(int64_t)>& fn) { backend_->share(n, fn); },
            .computed = [this] { publish_memory(); }};
  }

  void serve() {
    Loop loop(*stepper_, loop_options());
    for (;;) {
      auto [messages, closed] = inbox_.take(/*wait=*/loop.idle());
      for (Message& message : messages) {
        if (auto* r = std::get_if<NewRequest>(&message))
          loop.submit(r->id, std::move(r->request), std::move(r->promise));
        else
          loop.cancel(std::get<Cancel>(message).id);
      }
      if (closed) break;
      loop.step();
    }
    loop.cancel_all();
  }

  void publish_memory() {
    const std::lock_guard lock(memory_mutex_);
    memory_.work = backend_->work_bytes();
    stepper_->report(memory_);
  }

  std::shared_ptr<const LoadedModel> model_;
  int64_t n_ctx_;
  int64_t n_parallel_;
  int64_t budget_;
  bool shift_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Stepper> stepper_;
  std::atomic<RequestId> next_id_{1};
  mutable std::mutex memory_mutex_;
  MemoryUse memory_;
  Inbox<Message> inbox_;
  std::thread thread_;
};

Engine::Engine(const Model& model, const EngineOptions& options) {
  options.check();
  impl_ = std::make_unique<Impl>(model, options);
}
Engine::~Engine() = default;
Submission Engine::submit(Request request) { return impl_->submit(std::move(request)); }
void Engine::cancel(RequestId id) { impl_->cancel(id); }
int64_t Engine::n_ctx() const { return impl_->n_ctx(); }
MemoryUse Engine::memory() const { return impl_->memory(); }
int64_t Engine::kv_bytes() const {
  const MemoryUse use = memory();
  return use.keys() + use.values();
}
int64_t Engine::work_bytes() const { return memory().work; }

}  // namespace skald
