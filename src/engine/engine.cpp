#include "skald/engine.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "backend/backend.h"
#include "base/error.h"
#include "base/log.h"
#include "engine/active_request.h"
#include "engine/inbox.h"
#include "engine/scheduler.h"
#include "loading/loaded_model.h"
#include "stepping/runner.h"
#include "stepping/static_runner.h"

namespace skald {
namespace {

void want(bool ok, const char* name, const char* range) {
  if (!ok) fail(Errc::kBadInput, "{}: want {}", name, range);
}

// The context in tokens: of fixed shapes without one it has no end.
int64_t longest(const CacheOptions& cache, const LoadedModel& model) {
  if (cache.n_ctx) return cache.n_ctx;
  return cache.static_shapes.on() ? std::numeric_limits<int32_t>::max() : model.n_ctx_train();
}

std::unique_ptr<Stepper> make_stepper(const LoadedModel& model, Backend& backend, const EngineOptions& o) {
  if (o.cache.static_shapes.on()) return std::make_unique<StaticRunner>(model.step_model(), backend, o.cache);
  CacheOptions cache = o.cache;
  cache.n_ctx = longest(cache, model);
  return std::make_unique<Runner>(model.step_model(), backend, cache, o.schedule);
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
        n_ctx_(longest(options.cache, *model_)),
        n_parallel_(static_cast<size_t>(options.schedule.n_parallel)),
        budget_(options.schedule.step_rows()),
        shift_(options.schedule.context_shift),
        backend_(make_backend(options.device)),
        stepper_(make_stepper(*model_, *backend_, options)) {
    // A shift keeps half the context or more: the sinks stay behind whoever looks at them.
    want(options.cache.swa_sinks <= n_ctx_ / 2, "cache.swa_sinks", "at most half the context");
    if (shift_ && model_->has_prefix())
      fail(Errc::kUnsupported,
           "schedule.context_shift: the beginning of this model's sequences is seen in both directions and must stay");
    stepper_->compile();  // what cannot run fails here, not in a request
    memory_.weights = stepper_->weights().bytes();
    memory_.kv_storage = stepper_->kv_storage();
    publish_memory();
    if (options.cache.swa_sinks && std::ranges::all_of(memory_.kv, [](const MemoryUse::KvGroup& g) { return !g.window; }))
      log(LogLevel::kWarn, "this model has no sliding window that is shorter than the context: sinks do nothing");
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
           "the prompt's first {} tokens must be computed at once, but steps have {}: raise schedule.n_ubatch and "
           "schedule.n_batch",
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

  void serve() {
    for (;;) {
      auto [messages, closed] = inbox_.take(/*wait=*/active_.empty() && waiting_.empty());
      for (Message& m : messages) std::visit([this](auto& message) { receive(message); }, m);
      if (closed) break;
      admit();
      if (!active_.empty()) step();
    }
    for (ActiveRequest& r : active_) r.finish(FinishReason::kCancelled);
    for (NewRequest& r : waiting_) drop(r, FinishReason::kCancelled, {});
  }

  void receive(NewRequest& r) {
    if (r.request.max_tokens == 0)
      drop(r, FinishReason::kLength, {});
    else
      waiting_.push_back(std::move(r));
  }

  void receive(const Cancel& c) {
    const auto running = std::ranges::find(active_, c.id, &ActiveRequest::id);
    if (running != active_.end()) {
      running->finish(FinishReason::kCancelled);
      active_.erase(running);
    }
    const auto queued = std::ranges::find(waiting_, c.id, &NewRequest::id);
    if (queued == waiting_.end()) return;
    drop(*queued, FinishReason::kCancelled, {});
    waiting_.erase(queued);
  }

  // The pool has pages for n_parallel sequences of full length, so a request that is admitted never runs out of them.
  void admit() {
    for (; !waiting_.empty() && active_.size() < n_parallel_; waiting_.pop_front()) {
      NewRequest& r = waiting_.front();
      KvSequence kv = stepper_->new_sequence();
      kv.set_prefix(model_->prefix_length(r.request.prompt));
      active_.emplace_back(r.id, std::move(r.request), std::move(kv), model_->find_tokenizer(), n_ctx_, std::move(r.promise),
                           shift_);
    }
  }

  // Ends a request that never ran.
  void drop(NewRequest& r, FinishReason reason, std::string_view error) {
    ActiveRequest(r.id, std::move(r.request), stepper_->new_sequence(), nullptr, n_ctx_, std::move(r.promise))
        .finish(reason, error);
  }

  void step() {
    std::vector<ActiveRequest*> in_step;
    std::vector<StepItem> items;
    plan_step(in_step, items);
    if (const std::optional<TensorView> logits = run(in_step, items)) sample(in_step, items, *logits);
  }

  // A step that fails takes its requests with it, not the engine.
  std::optional<TensorView> run(std::span<ActiveRequest* const> in_step, std::span<const StepItem> items) {
    try {
      const TensorView logits = stepper_->run(items);
      publish_memory();
      return logits;
    } catch (const std::exception& e) {
      for (ActiveRequest* r : in_step) {
        r->finish(FinishReason::kError, e.what());
        remove(r->id());
      }
      return std::nullopt;
    }
  }

  void plan_step(std::vector<ActiveRequest*>& in_step, std::vector<StepItem>& items) {
    std::vector<ActiveRequest*> all;
    std::vector<Pending> pending;
    for (ActiveRequest& r : active_) {
      all.push_back(&r);
      pending.push_back({static_cast<int64_t>(r.pending().size()), r.at_once()});
    }
    for (const StepShare& share : schedule(pending, budget_)) {
      ActiveRequest& r = *all[share.request];
      r.started();
      r.make_room();
      const bool last = share.tokens == pending[share.request].tokens;
      in_step.push_back(&r);
      items.push_back({&r.kv(), r.pending().first(static_cast<size_t>(share.tokens)), last ? 1 : 0, r.decoding()});
    }
  }

  // All requests pick at the same time; what follows of it is told in order.
  void sample(std::span<ActiveRequest* const> in_step, std::span<const StepItem> items, const TensorView& logits) {
    std::vector<ActiveRequest*> samplers;
    for (size_t i = 0; i < in_step.size(); ++i)
      if (items[i].n_outputs) samplers.push_back(in_step[i]);
    std::vector<TokenId> picked(samplers.size());
    backend_->share(std::ssize(samplers), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      picked[at] = samplers[at]->pick({logits.row(i), static_cast<size_t>(logits.cols())});
    });
    for (size_t i = 0; i < samplers.size(); ++i)
      if (!samplers[i]->next(picked[i])) remove(samplers[i]->id());
  }

  void remove(RequestId id) {
    std::erase_if(active_, [id](const ActiveRequest& r) { return r.id() == id; });
  }

  void publish_memory() {
    const std::lock_guard lock(memory_mutex_);
    memory_.work = backend_->work_bytes();
    stepper_->report(memory_);
  }

  std::shared_ptr<const LoadedModel> model_;
  int64_t n_ctx_;
  size_t n_parallel_;
  int64_t budget_;
  bool shift_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Stepper> stepper_;
  std::atomic<RequestId> next_id_{1};
  mutable std::mutex memory_mutex_;
  MemoryUse memory_;
  Inbox<Message> inbox_;
  std::deque<NewRequest> waiting_;
  std::list<ActiveRequest> active_;
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
