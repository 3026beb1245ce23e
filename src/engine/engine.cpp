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
#include "engine/disk_tier.h"
#include "engine/fingerprint.h"
#include "engine/grammars.h"
#include "engine/inbox.h"
#include "engine/loop.h"
#include "engine/request_check.h"
#include "engine/slot_image.h"
#include "engine/status_board.h"
#include "kv/disk/private_folder.h"
#include "loading/loaded_model.h"
#include "stepping/runner.h"
#include "stepping/static_runner.h"

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

// Whether pages or sequences go beyond memory.
bool keeps_outside(const EngineOptions& o) { return o.prefix_store || o.cache.slot_files; }

std::unique_ptr<Stepper> make_stepper(const LoadedModel& model, Backend& backend, const EngineOptions& o) {
  model.want_writer();
  if (keeps_outside(o)) model.fingerprint();  // while its weights are as they were read
  if (o.cache.static_shapes.on()) return std::make_unique<StaticRunner>(model.step_model(), backend, o.cache);
  CacheOptions cache = o.cache;
  cache.n_ctx = longest(cache, model);
  return std::make_unique<Runner>(model.step_model(), backend, cache, with_pages(o.schedule, o.cache, model));
}

constexpr int64_t kMostSlotBytes = int64_t{1} << 40;

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
/// Something has come from the disk, or there is room to write.
struct Wake {};
/// A Loop's function, with its arguments.
using SlotWork = std::function<void(Loop& loop)>;

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
        limits_{.n_ctx = longest(options.cache, *model_),
                .rows = with_pages(options.schedule, options.cache, *model_).step_rows(),
                .shift = options.schedule.context_shift,
                .share_prefixes = options.cache.share_prefixes,
                .static_shapes = options.cache.static_shapes.on()},
        n_parallel_(options.schedule.n_parallel),
        max_itl_seconds_(options.schedule.max_itl_ms / 1000),
        on_step_(options.on_step),
        checkpoints_(options.cache.checkpoints),
        grammars_(model_->find_tokenizer()),
        backend_(make_backend(options.device)),
        stepper_(make_stepper(*model_, *backend_, options)),
        board_(options.schedule.n_parallel, options.schedule.max_waiting),
        prefix_store_(options.prefix_store),
        slot_files_(options.cache.slot_files) {
    // A shift keeps half the context or more: the sinks stay behind whoever looks at them.
    want(options.cache.swa_sinks <= limits_.n_ctx / 2, "cache.swa_sinks", "at most half the context");
    if (limits_.shift && model_->has_prefix())
      fail(Errc::kUnsupported,
           "schedule.context_shift: the beginning of this model's sequences is seen in both directions and must stay");
    warn_of_states();
    stepper_->compile();  // what cannot run fails here, not in a request
    memory_.weights = stepper_->weights().bytes();
    memory_.kv_storage = stepper_->kv_storage();
    publish_memory();
    if (options.cache.swa_sinks && std::ranges::all_of(memory_.kv, [](const MemoryUse::KvGroup& g) { return !g.window; }))
      log(LogLevel::kWarn, "this model has no sliding window that is shorter than the context: sinks do nothing");
    keep_on_disk(options);
    board_.publish(Loop(*stepper_, loop_options()).status(), 0);
    thread_ = std::thread([this] { serve(); });
  }

  // A shift forgets keys; what recurrent layers remember of those tokens stays.
  void warn_of_states() const {
    const auto n = std::ssize(model_->states()) - std::ssize(attention_states(model_->states()));
    if (limits_.shift && n > 0)
      log(LogLevel::kWarn, "schedule.context_shift: attention forgets, but not the {} recurrent states of this model", n);
  }

  ~Impl() {
    inbox_.close();
    thread_.join();
  }

  Submission submit(Request request) {
    check_request(request, *model_, limits_);
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

  // Runs `work` on the engine's thread and waits for what it promises.
  template <class T>
  T on_loop(std::function<void(Loop&, std::promise<T>)> work) {
    auto promise = std::make_shared<std::promise<T>>();
    std::future<T> result = promise->get_future();
    if (!inbox_.post(SlotWork([promise, work = std::move(work)](Loop& loop) { work(loop, std::move(*promise)); })))
      fail(Errc::kBusy, "the engine is being destroyed");
    return result.get();
  }

  SlotFile save_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name) {
    const PageKey root = slot_root(owner);
    const auto image = on_loop<SlotImage>(
        [&](Loop& loop, std::promise<SlotImage> promise) { loop.save_slot(slot, owner, std::move(promise)); });
    const std::vector<std::byte> file = slot_file(image, root);
    PrivateFolder(folder).write(name, {file});
    return {std::ssize(image.tokens), std::ssize(file)};
  }

  SlotFile restore_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name) {
    const PageKey root = slot_root(owner);
    const std::optional<std::vector<std::byte>> file = PrivateFolder(folder).read(name, kMostSlotBytes);
    if (!file) fail(Errc::kNotFound, "there is no file {} in {}", name, folder);
    SlotImage image = read_slot_file(*file, root);
    for (const TokenId id : image.tokens)
      if (id < 0 || id >= model_->n_vocab()) fail(Errc::kBadFile, "the file has a token that the model has not: {}", id);
    const auto tokens = on_loop<int64_t>([&](Loop& loop, std::promise<int64_t> promise) {
      loop.restore_slot(slot, owner, std::move(image), std::move(promise));
    });
    return {tokens, std::ssize(*file)};
  }

  int64_t erase_slot(int64_t slot, const std::string& owner) {
    slot_root(owner);
    return on_loop<int64_t>(
        [&](Loop& loop, std::promise<int64_t> promise) { loop.erase_slot(slot, owner, std::move(promise)); });
  }

  int64_t n_ctx() const { return limits_.n_ctx; }
  SparqUse sparq_use() const { return stepper_->sparq_use(); }
  MemoryUse memory() const {
    const std::lock_guard lock(memory_mutex_);
    return memory_;
  }
  EngineStatus status() const { return board_.status(); }

 private:
  using Message = std::variant<NewRequest, Cancel, Hold, Forget, Wake, SlotWork>;

  // With a bound on those that wait, a text that is over frees its place before its last event: whoever hears of it may come
  // again at once.
  Submission post(Request request, std::optional<Guide> guide) {
    const bool waits = waits_for_place(request);
    if (board_.bounded() && waits)
      request.on_event = [this, then = std::move(request.on_event)](const Event& event) {
        if (event.finish != FinishReason::kNone) board_.free_place();
        if (then) then(event);
      };
    if (waits) board_.post();
    const RequestId id = next_id_++;
    std::promise<Result> promise;
    std::future<Result> result = promise.get_future();
    if (!inbox_.post(NewRequest{id, std::move(request), std::move(promise), std::move(guide), Clock::now()})) {
      if (waits) board_.unpost();
      fail(Errc::kBadInput, "the engine is being destroyed and takes no more requests");
    }
    return {id, std::move(result)};
  }

  static bool waits_for_place(const Request& r) { return r.max_tokens != 0 && !r.read_ahead; }

  PageKey slot_root(const std::string& owner) const {
    if (!slot_files_) fail(Errc::kUnsupported, "slots are saved where cache.slot_files says so");
    return root_key(*fingerprint_, owner);
  }

  void keep_on_disk(const EngineOptions& options) {
    if (!keeps_outside(options)) return;
    fingerprint_ = fingerprint(*model_, backend_->info(), options.device, stepper_->kv());
    if (prefix_store_) disk_.emplace(prefix_store_->pages(), stepper_->kv(), *fingerprint_, [this] { inbox_.post(Wake{}); });
  }

  LoopOptions loop_options() {
    return {.limits = {.n_ctx = limits_.n_ctx, .shift = limits_.shift},
            .n_parallel = n_parallel_,
            .rows = limits_.rows,
            .tokenizer = model_->find_tokenizer(),
            .checkpoints = checkpoints_,
            .share_prefixes = limits_.share_prefixes,
            .disk = disk_ ? &*disk_ : nullptr,
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
    options.planned = [&] { board_.publish(loop->status(), std::exchange(taken, 0)); };
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
      board_.publish(loop->status(), std::exchange(taken, 0));
    }
    loop->flush();
    loop->cancel_all();
    board_.publish(loop->status(), std::exchange(taken, 0));
  }

  static void handle(Loop& loop, Message& message) {
    if (auto* r = std::get_if<NewRequest>(&message))
      loop.submit(r->id, std::move(r->request), std::move(r->promise), std::move(r->guide), r->arrived);
    else if (auto* c = std::get_if<Cancel>(&message))
      loop.cancel(c->id);
    else if (auto* h = std::get_if<Hold>(&message))
      h->held ? loop.pause(h->id) : loop.resume(h->id);
    else if (auto* f = std::get_if<Forget>(&message))
      loop.forget(f->conversation);
    else if (auto* work = std::get_if<SlotWork>(&message))
      (*work)(loop);
  }

  void publish_memory() {
    const std::lock_guard lock(memory_mutex_);
    memory_.work = backend_->work_bytes();
    stepper_->report(memory_);
  }

  std::shared_ptr<const LoadedModel> model_;
  RequestLimits limits_;
  int64_t n_parallel_;
  double max_itl_seconds_;
  std::function<void(const StepReport&)> on_step_;
  CheckpointOptions checkpoints_;
  Grammars grammars_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Stepper> stepper_;
  std::atomic<RequestId> next_id_{1};
  mutable std::mutex memory_mutex_;
  MemoryUse memory_;
  StatusBoard board_;
  Inbox<Message> inbox_;
  std::shared_ptr<PrefixStore> prefix_store_;
  std::optional<DiskTier> disk_;          // behind what it wakes and uses
  std::optional<Sha256Sum> fingerprint_;  // where something is kept beyond memory
  bool slot_files_;
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

SlotFile Engine::save_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name) {
  return impl_->save_slot(slot, owner, folder, name);
}
SlotFile Engine::restore_slot(int64_t slot, const std::string& owner, const std::string& folder, const std::string& name) {
  return impl_->restore_slot(slot, owner, folder, name);
}
int64_t Engine::erase_slot(int64_t slot, const std::string& owner) { return impl_->erase_slot(slot, owner); }
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
