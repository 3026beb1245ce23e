#include "engine/engine_thread.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/want.h"
#include "engine/fingerprint.h"
#include "engine/make_stepper.h"
#include "loading/model_sum.h"
#include "stepping/cache_options.h"

namespace skald {

static constexpr std::string_view kEngine = "the engine";

static std::vector<LoraUse> loras_of(const Model& model, const EngineOptions& options) {
  std::vector<LoraUse> out;
  for (const LoraFile& file : options.loras) out.push_back({Lora::load(model, file.path), file.scale});
  return out;
}

EngineThread::EngineThread(const Model& model, const EngineOptions& options, std::unique_ptr<Backend> backend)
    : model_(model.loaded()),
      limits_{.n_ctx = longest_context(options.cache, *model_),
              .rows = with_pages(options.schedule, with_drafts(options), *model_).step_rows(),
              .shift = options.schedule.context_shift,
              .share_prefixes = options.cache.share_prefixes,
              .static_shapes = options.cache.static_shapes.on(),
              .stores = options.prefix_store && options.cache.share_prefixes},
      n_parallel_(options.schedule.n_parallel),
      max_itl_seconds_(options.schedule.max_itl_ms / 1000),
      on_step_(options.on_step),
      checkpoints_(options.cache.checkpoints),
      grammars_(model_->find_tokenizer()),
      backend_(std::move(backend)),
      stepper_(make_stepper(*model_, *backend_, options)),
      mixes_(*model_, *stepper_, loras_of(model, options)),
      board_(options.schedule.n_parallel, options.schedule.max_waiting),
      prefix_store_(options.prefix_store),
      slot_files_(options.cache.slot_files) {
  check_options(options);
  stepper_->compile();  // a graph that cannot run fails here, not in a request
  mixes_.check();
  memory_.weights = stepper_->weights()->bytes();
  memory_.kv_storage = stepper_->kv_storage();
  publish_memory();
  if (options.cache.swa_sinks && std::ranges::all_of(memory_.kv, [](const MemoryUse::KvGroup& g) { return !g.window; }))
    log(LogLevel::kWarn, "this model has no sliding window that is shorter than the context: sinks do nothing");
  keep_on_disk(options);
  if (options.prefix_digest) reports_ = {.to = options.prefix_digest, .model = meta_sum(model_->meta())};
  loop_.emplace(*stepper_, loop_options(options));
  tell_status();
  thread_ = std::thread([this] { serve(); });
}

void EngineThread::check_options(const EngineOptions& options) const {
  // A shift keeps half the context or more: the sinks stay before all rows that see them.
  want(options.cache.swa_sinks <= limits_.n_ctx / 2, "cache.swa_sinks", "at most half the context");
  if (limits_.shift && model_->has_prefix())
    fail(Errc::kUnsupported,
         "schedule.context_shift: the beginning of this model's sequences is seen in both directions and must stay");
  // A shift forgets keys; the recurrent states of those tokens stay.
  const auto n = std::ssize(model_->states()) - std::ssize(attention_states(model_->states()));
  if (limits_.shift && n > 0)
    log(LogLevel::kWarn, "schedule.context_shift: attention forgets, but not the {} recurrent states of this model", n);
}

EngineThread::~EngineThread() {
  inbox_.close();
  thread_.join();
}

Submission EngineThread::submit(Request request) {
  check_request(request, *model_, limits_);
  if (request.prefill) cut_to_pages(request);
  mixes_.resolve(request);
  if (!request.prefilled.name.empty()) find_named(request);
  std::unique_ptr<GrammarCursor> grammar;
  if (auto compiled = grammars_.compiled(request.grammar)) {
    grammar = std::make_unique<GrammarCursor>(std::move(compiled), model_->tokenizer(), model_->n_vocab(), request.prompt);
    grammar->begin(request.grammar.reply.begun);
    check_first_mask(*grammar, request);
  }
  return post(std::move(request), std::move(grammar));
}

// One token more than the pages that another engine can take: it leaves a prompt's last token to compute, and so does this
// one where it has the pages already. A shorter prompt gives none.
void EngineThread::cut_to_pages(Request& request) {
  const int64_t pages = (std::ssize(request.prompt) - 1) / kPageKeys;
  request.prompt.resize(static_cast<size_t>(pages * kPageKeys + 1));
  request.max_tokens = pages > 0 ? 1 : 0;
  request.n = 1;
  request.best_of = request.beams = 0;
  request.grammar = {};
}

// A name that fits tells that prompt, model, options and scope are those of the engine that has given it.
void EngineThread::find_named(Request& request) const {
  const std::span<const TokenId> takeable = std::span(request.prompt).first(request.prompt.size() - 1);
  const std::vector<PageKey> keys = page_keys(root_key(*fingerprint_, request.scope), takeable);
  const auto key = std::ranges::find(keys, request.prefilled.name, [](const PageKey& k) { return hexadecimal(k); });
  if (key == keys.end())
    fail(Errc::kBadInput, "prefilled: the pages of this name are of another prompt, model, options or client");
  request.prefilled.tokens = (key - keys.begin() + 1) * kPageKeys;
}

// The first token's mask shows most grammars whose states become too many, and costs the caller's time instead of the
// engine's.
void EngineThread::check_first_mask(GrammarCursor& grammar, const Request& request) {
  try {
    grammar.allowed(request.ignore_eos);
  } catch (const Error& e) {
    grammars_.refuse(request.grammar, e);
    throw;
  }
}

MemoryUse EngineThread::memory() const {
  const std::lock_guard lock(memory_mutex_);
  return memory_;
}

// With a bound on waiting requests, a text that is over frees its slot before its last event. The client that hears it may
// come again at once.
Submission EngineThread::post(Request request, std::unique_ptr<GrammarCursor> grammar) {
  const bool waits = waits_for_place(request);
  if (board_.bounded() && waits)
    request.on_event = [this, then = std::move(request.on_event)](const Event& event) {
      if (event.finish != FinishReason::kNone) board_.free_place();
      if (then) then(event);
    };
  const RequestId id = next_id_++;
  std::promise<Result> promise;
  std::future<Result> result = promise.get_future();
  if (waits) board_.post();
  try {
    if (!inbox_.post(NewRequest{id, std::move(request), std::move(promise), std::move(grammar), Clock::now()}))
      fail(Errc::kBadInput, "the engine is being destroyed and takes no more requests");
  } catch (...) {
    if (waits) board_.unpost();
    throw;
  }
  return {id, std::move(result)};
}

void EngineThread::keep_on_disk(const EngineOptions& options) {
  if (!keeps_outside(options)) return;
  fingerprint_ = fingerprint(*model_, *backend_, options.device, stepper_->kv());
  if (prefix_store_) disk_.emplace(prefix_store_->pages(), stepper_->kv(), *fingerprint_, [this] { inbox_.wake(); });
}

LoopOptions EngineThread::loop_options(const EngineOptions& options) {
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
          .sparq = options.cache.sparq,
          .drafts = make_drafter({options, model_.get(), stepper_.get(), backend_.get()}),
          .most_guesses = options.draft.most,
          .planned = [this] { tell_status(); },
          .computed =
              [this](const StepReport& report) {
                guarded(kEngine, [&] {
                  publish_memory();
                  if (on_step_) on_step_(report);
                });
              },
          .reports = &reports_};
}

void EngineThread::serve() noexcept {
  for (bool goes_on = true; goes_on;) guarded(kEngine, [&] { goes_on = serve_once(); });
  guarded(kEngine, [&] { flush(); });
  guarded(kEngine, [&] { loop_->cancel_all(); });
  guarded(kEngine, [&] { tell_status(); });
}

void EngineThread::flush() {
  loop_->flush();
  if (const int64_t left = loop_->status().unwritten_pages)
    log(LogLevel::kWarn, "the prefix cache: {} pages of prompts are not written to the disk", left);
}

// False at the end. A failure that belongs to no request is told in the log, and the next message or step comes.
bool EngineThread::serve_once() {
  auto [messages, closed] = inbox_.take(/*wait=*/!loop_->has_work());
  for (Message& message : messages) {
    const auto* request = std::get_if<NewRequest>(&message);
    taken_ += request && waits_for_place(request->request);
    guarded(kEngine, [&] { handle(message); });
  }
  if (closed) return false;
  if (loop_->has_work()) loop_->step();
  tell_status();
  return true;
}

void EngineThread::handle(Message& message) {
  if (auto* r = std::get_if<NewRequest>(&message))
    loop_->submit(r->id, std::move(r->request), std::move(r->promise), std::move(r->grammar), r->arrived);
  else if (auto* c = std::get_if<Cancel>(&message))
    loop_->cancel(c->id);
  else if (auto* h = std::get_if<Hold>(&message))
    h->held ? loop_->pause(h->id) : loop_->resume(h->id);
  else if (auto* f = std::get_if<Forget>(&message))
    loop_->forget(f->conversation);
  else if (auto* work = std::get_if<SlotWork>(&message))
    (*work)(*loop_);
}

void EngineThread::tell_status() {
  loop_->status(status_);
  board_.publish(status_, std::exchange(taken_, 0));
}

void EngineThread::publish_memory() {
  const std::lock_guard lock(memory_mutex_);
  memory_.work = backend_->work_bytes();
  stepper_->report(memory_);
}

}  // namespace skald
