#include "skald/engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "backend/backend.h"
#include "base/error.h"
#include "base/log.h"
#include "base/want.h"
#include "engine/grammars.h"
#include "engine/inbox.h"
#include "engine/loop.h"
#include "loading/loaded_model.h"
#include "stepping/runner.h"
#include "stepping/static_runner.h"
#include "text/stop_texts.h"

namespace skald {
namespace {

// The context in tokens: of fixed shapes without one it has no end.
int64_t longest(const CacheOptions& cache, const LoadedModel& model) {
  if (cache.static_shapes.on()) return cache.n_ctx ? cache.n_ctx : std::numeric_limits<int32_t>::max();
  const int64_t n_ctx = cache.n_ctx ? cache.n_ctx : model.n_ctx_train();
  return cache.total_keys ? std::min(n_ctx, cache.total_keys) : n_ctx;
}

// Prompts of models with recurrent states, or sparse decoding in windows, are cut at pages' borders: beside as many
// generated rows as there can be, a page must have room in a step.
ScheduleOptions with_pages(ScheduleOptions schedule, const CacheOptions& cache, const LoadedModel& model) {
  const bool whole = cache.sparq.on() || model.states().size() > attention_states(model.states()).size();
  const int64_t least = kPageKeys + schedule.n_parallel;
  if (!cache.share_prefixes || !whole || schedule.step_rows() >= least) return schedule;
  log(LogLevel::kInfo, "schedule.n_ubatch: {} tokens instead of {}: prompts of this model are cut at pages of {}", least,
      schedule.step_rows(), kPageKeys);
  schedule.n_batch = std::max(schedule.n_batch, least);
  schedule.n_ubatch = std::max(schedule.n_ubatch, least);
  return schedule;
}

std::unique_ptr<Stepper> make_stepper(const LoadedModel& model, Backend& backend, const EngineOptions& o) {
  model.want_writer();
  if (o.cache.static_shapes.on()) return std::make_unique<StaticRunner>(model.step_model(), backend, o.cache);
  CacheOptions cache = o.cache;
  cache.n_ctx = longest(cache, model);
  return std::make_unique<Runner>(model.step_model(), backend, cache, with_pages(o.schedule, o.cache, model));
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
  std::optional<Guide> guide;
  Clock::time_point arrived;
};
struct Cancel {
  RequestId id;
};
struct Hold {
  RequestId id;
  bool held;
};
struct Forget {
  ConversationId conversation;
};

void check_stop_texts(const std::vector<std::string>& texts) {
  want(texts.size() <= StopTexts::kMostTexts, "stop", "at most 256 texts");
  for (const std::string& text : texts)
    want(!text.empty() && text.size() <= StopTexts::kMostBytes, "stop", "texts of 1 to 4096 bytes");
}

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
        n_parallel_(options.schedule.n_parallel),
        max_waiting_(options.schedule.max_waiting),
        max_itl_seconds_(options.schedule.max_itl_ms / 1000),
        on_step_(options.on_step),
        budget_(with_pages(options.schedule, options.cache, *model_).step_rows()),
        shift_(options.schedule.context_shift),
        static_shapes_(options.cache.static_shapes.on()),
        checkpoints_(options.cache.checkpoints),
        share_prefixes_(options.cache.share_prefixes),
        grammars_(model_->find_tokenizer()),
        backend_(make_backend(options.device)),
        stepper_(make_stepper(*model_, *backend_, options)) {
    // A shift keeps half the context or more: the sinks stay behind whoever looks at them.
    want(options.cache.swa_sinks <= n_ctx_ / 2, "cache.swa_sinks", "at most half the context");
    if (shift_ && model_->has_prefix())
      fail(Errc::kUnsupported,
           "schedule.context_shift: the beginning of this model's sequences is seen in both directions and must stay");
    warn_of_states();
    stepper_->compile();  // what cannot run fails here, not in a request
    memory_.weights = stepper_->weights().bytes();
    memory_.kv_storage = stepper_->kv_storage();
    publish_memory();
    if (options.cache.swa_sinks && std::ranges::all_of(memory_.kv, [](const MemoryUse::KvGroup& g) { return !g.window; }))
      log(LogLevel::kWarn, "this model has no sliding window that is shorter than the context: sinks do nothing");
    status_ = Loop(*stepper_, loop_options()).status();
    thread_ = std::thread([this] { serve(); });
  }

  // A shift forgets keys; what recurrent layers remember of those tokens stays.
  void warn_of_states() const {
    const auto n = std::ssize(model_->states()) - std::ssize(attention_states(model_->states()));
    if (shift_ && n > 0)
      log(LogLevel::kWarn, "schedule.context_shift: attention forgets, but not the {} recurrent states of this model", n);
  }

  ~Impl() {
    inbox_.close();
    thread_.join();
  }

  Submission submit(Request request) {
    request.sampling.check(model_->n_vocab());
    want(request.top_log_probs >= 0 && request.top_log_probs <= Request::kMostTopLogProbs, "top_log_probs", "0 to 1000");
    want(!request.prompt.empty(), "prompt", "at least one token");
    want(request.max_tokens >= -1, "max_tokens", "-1 (no limit) or more");
    want(request.keep >= -1, "keep", "-1 (the whole prompt) or more");
    want(request.n >= 1 && request.n <= Request::kMostTexts, "n", "1 to 1024");
    check_stop_texts(request.stop);
    if (request.read_ahead && !share_prefixes_) fail(Errc::kBadInput, "read_ahead needs cache.share_prefixes");
    if (request.conversation && static_shapes_)
      fail(Errc::kUnsupported, "conversation: caches of fixed shapes keep nothing from one request to the next");
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
    std::optional<Guide> guide;
    if (auto grammar = grammars_.compiled(request.grammar)) {
      guide.emplace(std::move(grammar), model_->tokenizer(), model_->n_vocab(), request.prompt);
      check_first_mask(*guide, request);
    }
    return post(std::move(request), std::move(guide));
  }

  // The first token's mask shows most grammars whose states become too many, and costs the caller's time instead of the
  // engine's.
  void check_first_mask(Guide& guide, const Request& request) {
    try {
      guide.allowed(request.ignore_eos);
    } catch (...) {
      grammars_.forget(request.grammar);
      throw;
    }
  }

  void cancel(RequestId id) { inbox_.post(Cancel{id}); }
  void hold(RequestId id, bool held) { inbox_.post(Hold{id, held}); }
  void forget(ConversationId conversation) { inbox_.post(Forget{conversation}); }

  int64_t n_ctx() const { return n_ctx_; }
  SparqUse sparq_use() const { return stepper_->sparq_use(); }
  MemoryUse memory() const {
    const std::lock_guard lock(memory_mutex_);
    return memory_;
  }
  EngineStatus status() const {
    const std::lock_guard lock(status_mutex_);
    EngineStatus out = status_;
    out.waiting += posted_;
    return out;
  }

 private:
  using Message = std::variant<NewRequest, Cancel, Hold, Forget>;

  // With a bound on those that wait, a text that is over frees its place before its last event: whoever hears of it may come
  // again at once.
  Submission post(Request request, std::optional<Guide> guide) {
    const bool waits = waits_for_place(request);
    if (max_waiting_ >= 0 && waits)
      request.on_event = [this, then = std::move(request.on_event)](const Event& event) {
        if (event.finish != FinishReason::kNone) free_place();
        if (then) then(event);
      };
    if (waits) count_posted();
    const RequestId id = next_id_++;
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
    if (!inbox_.post(NewRequest{id, std::move(request), std::move(promise), std::move(guide), Clock::now()})) {
      if (waits) uncount_posted(1);
      fail(Errc::kBadInput, "the engine is being destroyed and takes no more requests");
    }
    return {id, std::move(result)};
  }

  static bool waits_for_place(const Request& r) { return r.max_tokens != 0 && !r.read_ahead; }

  void count_posted() {
    const std::lock_guard lock(status_mutex_);
    const int64_t waiting = posted_ + status_.waiting - free_places_;
    if (max_waiting_ >= 0 && waiting >= max_waiting_)
      fail(Errc::kBusy, "{} requests wait, no more may: schedule.max_waiting", max_waiting_);
    ++posted_;
  }
  void uncount_posted(int64_t n) {
    const std::lock_guard lock(status_mutex_);
    posted_ -= n;
  }
  void free_place() {
    const std::lock_guard lock(status_mutex_);
    free_places_ = std::min(free_places_ + 1, n_parallel_);
  }
  // `taken`: requests that are the loop's now and no longer counted as posted.
  void publish_status(const Loop& loop, int64_t& taken) {
    EngineStatus now = loop.status();
    const int64_t free = std::ranges::count(now.slots, EngineStatus::Slot::State::kIdle, &EngineStatus::Slot::state);
    const std::lock_guard lock(status_mutex_);
    status_ = std::move(now);
    free_places_ = free;
    posted_ -= std::exchange(taken, 0);
  }

  LoopOptions loop_options() {
    return {.limits = {.n_ctx = n_ctx_, .shift = shift_},
            .n_parallel = n_parallel_,
            .rows = budget_,
            .tokenizer = model_->find_tokenizer(),
            .checkpoints = checkpoints_,
            .share_prefixes = share_prefixes_,
            .max_itl_seconds = max_itl_seconds_,
            .ends_message = [t = model_->find_tokenizer()](TokenId id) { return t && t->vocab().is_end(id); },
            .prefix = [this](std::span<const TokenId> prompt) { return model_->prefix_length(prompt); },
            .share = [this](int64_t n, const std::function<void(int64_t)>& fn) { backend_->share(n, fn); },
            .computed =
                [this](const StepReport& report) {
                  publish_memory();
                  if (on_step_) on_step_(report);
                }};
  }

  void serve() {
    int64_t taken = 0;  // requests, since the status was last told
    LoopOptions options = loop_options();
    std::optional<Loop> loop;
    options.planned = [&] { publish_status(*loop, taken); };
    loop.emplace(*stepper_, std::move(options));
    for (;;) {
      auto [messages, closed] = inbox_.take(/*wait=*/!loop->has_work());
      for (Message& message : messages) {
        const auto* request = std::get_if<NewRequest>(&message);
        taken += request && waits_for_place(request->request);
        handle(*loop, message);
      }
      if (closed) break;
      if (loop->has_work()) loop->step();
      publish_status(*loop, taken);
    }
    loop->cancel_all();
    publish_status(*loop, taken);
  }

  static void handle(Loop& loop, Message& message) {
    if (auto* r = std::get_if<NewRequest>(&message))
      loop.submit(r->id, std::move(r->request), std::move(r->promise), std::move(r->guide), r->arrived);
    else if (auto* c = std::get_if<Cancel>(&message))
      loop.cancel(c->id);
    else if (auto* h = std::get_if<Hold>(&message))
      h->held ? loop.pause(h->id) : loop.resume(h->id);
    else
      loop.forget(std::get<Forget>(message).conversation);
  }

  void publish_memory() {
    const std::lock_guard lock(memory_mutex_);
    memory_.work = backend_->work_bytes();
    stepper_->report(memory_);
  }

  std::shared_ptr<const LoadedModel> model_;
  int64_t n_ctx_;
  int64_t n_parallel_, max_waiting_;
  double max_itl_seconds_;
  std::function<void(const StepReport&)> on_step_;
  int64_t budget_;
  bool shift_, static_shapes_;
  CheckpointOptions checkpoints_;
  bool share_prefixes_;
  Grammars grammars_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Stepper> stepper_;
  std::atomic<RequestId> next_id_{1};
  mutable std::mutex memory_mutex_;
  MemoryUse memory_;
  mutable std::mutex status_mutex_;
  EngineStatus status_;
  int64_t posted_ = 0;                 // requests that are in the inbox
  int64_t free_places_ = n_parallel_;  // as of status_
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
void Engine::pause(RequestId id) { impl_->hold(id, true); }
void Engine::resume(RequestId id) { impl_->hold(id, false); }

Result Engine::wait(Submission submission, const std::function<bool()>& stop) {
  constexpr std::chrono::milliseconds kAskEvery{20};
  for (bool cancelled = !stop; !cancelled && submission.result.wait_for(kAskEvery) != std::future_status::ready;) {
    cancelled = stop();
    if (cancelled) cancel(submission.id);
  }
  return submission.result.get();
}

void Engine::forget(ConversationId conversation) { impl_->forget(conversation); }
int64_t Engine::n_ctx() const { return impl_->n_ctx(); }
MemoryUse Engine::memory() const { return impl_->memory(); }
EngineStatus Engine::status() const { return impl_->status(); }
SparqUse Engine::sparq_use() const { return impl_->sparq_use(); }
int64_t Engine::kv_bytes() const {
  const MemoryUse use = memory();
  return use.keys() + use.values();
}
int64_t Engine::work_bytes() const { return memory().work; }

}  // namespace skald
