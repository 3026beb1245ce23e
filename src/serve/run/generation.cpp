#include "serve/run/generation.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/guarded.h"
#include "loading/loaded_model.h"
#include "serve/run/prefill.h"
#include "serve/service.h"
#include "serve/wall_clock.h"
#include "text/tokenizer.h"

namespace skald::serve {
namespace {

constexpr std::string_view kWho = "serve: an answer";

double seconds(HttpClock::duration d) { return std::chrono::duration<double>(d).count(); }

ApiError error_of(const Result& result, const std::string& grammar_field) {
  if (result.code == Errc::kNoMemory || result.code == Errc::kDevice) return ApiError(503, result.error);
  // Of a grammar whose states became too many.
  if (result.code == Errc::kBadInput) return ApiError(400, result.error, grammar_field, "unsupported_grammar");
  return ApiError(500, result.error);
}

// Of a call that waited for its model: it has left, or there is none.
void refuse(RequestContext& context, const std::exception_ptr& error) {
  try {
    if (context.gone()) context.refuse_gone();
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    context.give_up(e);
  }
}

}  // namespace

Generation::Generation(std::shared_ptr<RequestContext> context, Lease model, GenerationRequest what,
                       std::unique_ptr<ResponseWriter> form)
    : context_(std::move(context)),
      service_(context_->service()),
      model_(std::move(model)),
      what_(std::move(what)),
      writer_(std::move(form)) {
  for (const auto& prompt : what_.prompts) {
    answer_.prompt_lengths.push_back(std::ssize(prompt));
    answer_.prompt_tokens += answer_.prompt_lengths.back();
  }
  prompts_left_ = what_.prompts.size();
  const size_t choices = what_.prompts.size() * static_cast<size_t>(what_.request.n);
  what_.request.reuse_generated = service_.options().reuse_generated;
  what_.request.log_prob = what_.top_log_probs >= 0;
  what_.request.top_log_probs = std::max(0, what_.top_log_probs);
  answer_.id = random_id();
  answer_.model = model_->id();
  answer_.created = unix_now();
  answer_.chat = what_.chat.has_value();
  answer_.include_usage = what_.include_usage;
  answer_.return_tokens = what_.return_tokens;
  answer_.top_log_probs = what_.top_log_probs;
  answer_.tokenizer = model_->model().loaded()->find_tokenizer();
  answer_.request = &what_.request;
  answer_.echoed = what_.echoed;
  if (what_.request.prompt_log_probs) answer_.prompts_said.resize(what_.prompts.size());
  answer_.n = what_.request.n;
  answer_.ranked = what_.request.beams > 0 || what_.request.best_of > what_.request.n;
  answer_.choices.resize(choices);
  for (size_t i = 0; i < choices; ++i) answer_.choices[i].prompt = i / static_cast<size_t>(answer_.n);
  last_token_.resize(choices);
  context_->note.model = answer_.model;
  context_->note.prompt_tokens = answer_.prompt_tokens;
  if (service_.options().log_prompts && answer_.tokenizer)
    context_->note.prompt = answer_.tokenizer->decode(what_.prompts.front(), /*special=*/true);
}

Generation::~Generation() { service_.remove(this); }

void Generation::begin() {
  begun_ = true;
  Exchange& exchange = context_->exchange();
  exchange.when_gone([self = weak_from_this()] {
    if (const auto run = self.lock()) run->attempt([&] { run->leave(); });
  });
  exchange.when_sent([self = weak_from_this()] {
    const auto run = self.lock();
    if (run && !run->over_ && std::exchange(run->slow_, false)) run->tell_engine(&Engine::resume);
  });
  if (what_.stream && !over_) {
    const auto every = std::chrono::milliseconds(static_cast<int64_t>(service_.options().ping_every * 1000));
    context_->begin({200,
                     {{"content-type", std::string(writer_->content_type())},
                      {"cache-control", "no-cache"},
                      {"x-accel-buffering", "no"}}},
                    {every.count() > 0 ? writer_->ping() : "", every});
    write(writer_->begin(answer_));
  }
  for (const auto& f : std::exchange(early_, {})) f();
}

// An exception on the network's thread ends the answer.
void Generation::post(std::function<void()> f) {
  service_.post([self = shared_from_this(), f = std::move(f)] { self->attempt(f); });
}

void Generation::attempt(const std::function<void()>& f) noexcept {
  try {
    f();
  } catch (const std::exception& e) {
    guarded(kWho, [&] { fail(as_api_error(e)); });
  }
}

void Generation::when_begun(std::function<void()> f) {
  if (!begun_) return early_.push_back(std::move(f));
  f();
}

void Generation::hear(const AnswerDelta& spoken) {
  if (over_) return;
  AnswerChoice& c = choice(spoken.choice);
  c.reply.add(spoken.deltas);
  answer_.reasoning_tokens += spoken.reasoning;
  note_times(spoken);
  if (what_.stream && !gone_) write(writer_->said(answer_, spoken));
  if (spoken.token < 0 && c.finish != FinishReason::kNone) choice_over(spoken);
}

void Generation::note_times(const AnswerDelta& spoken) {
  if (spoken.token < 0) return;
  const auto now = HttpClock::now();
  auto& last = last_token_[static_cast<size_t>(spoken.choice)];
  if (last == HttpClock::time_point{}) {
    if (context_->note.first_token_seconds == 0) {
      context_->note.first_token_seconds = context_->seconds();
      service_.metrics().add(Metrics::Time::kFirstToken, context_->note.first_token_seconds);
    }
  } else {
    service_.metrics().add(Metrics::Time::kInterToken, seconds(now - last));
  }
  last = now;
}

// A request that ends before it began tells of one text only.
void Generation::choice_over(const AnswerDelta& spoken) {
  std::vector<int> ended = {spoken.choice};
  if (spoken.last) {
    const size_t prompt = choice(spoken.choice).prompt;
    const int first = static_cast<int>(prompt) * answer_.n;
    for (int i = first; i < first + answer_.n; ++i)
      if (i != spoken.choice && !choice(i).over) ended.push_back(i);
    prompt_over(prompt);
  }
  choice(spoken.choice).over = true;
  if (over_) return;
  if (what_.stream && !gone_)
    for (const int i : ended)
      if (!choice(i).missing) write(writer_->finish(answer_, i));
  if (prompts_left_ == 0) finish();
}

// The promise is kept right after the last event.
void Generation::prompt_over(size_t prompt) {
  Result result = prompts_[prompt].submission.result.get();
  --prompts_left_;
  answer_.cached_tokens += result.timing.n_cached;
  answer_.completion_tokens += result.timing.n_generated;
  answer_.drafts += result.timing.drafts;
  answer_.prompt_seconds = std::max(answer_.prompt_seconds, result.timing.prompt_seconds);
  answer_.generate_seconds = std::max(answer_.generate_seconds, result.timing.generate_seconds);
  answer_.seed = result.seed;
  answer_.stored = result.stored;
  context_->note.queue_seconds = std::max(context_->note.queue_seconds, result.timing.queue_seconds);
  service_.metrics().add(Metrics::Time::kQueue, result.timing.queue_seconds);
  if (result.finish == FinishReason::kError && !gone_) return fail(error_of(result, grammar_field()));
  if (!answer_.prompts_said.empty())
    answer_.prompts_said[prompt] = {what_.prompts[prompt], std::move(result.prompt_log_probs),
                                    std::move(result.prompt_top_log_probs)};
  const int first = static_cast<int>(prompt) * answer_.n;
  for (int i = 0; i < answer_.n; ++i) {
    AnswerChoice& c = choice(first + i);
    const bool told = i == 0 || i <= static_cast<int>(std::ssize(result.others));
    if (told)
      c.said = i == 0 ? std::move(static_cast<Choice&>(result)) : std::move(result.others[static_cast<size_t>(i) - 1]);
    if (told)
      c.finish = c.said.finish;
    else
      c.finish = choice(first).finish;
    c.missing = !told && what_.request.beams > 0;
    c.over = true;
  }
}

void Generation::write(std::string piece) {
  if (piece.empty()) return;
  context_->write(std::move(piece));
  pause_if_slow();
}

// A client that does not read gets no more than fits into the buffer.
void Generation::pause_if_slow() {
  if (slow_ || static_cast<int64_t>(context_->exchange().unsent()) <= service_.options().http.stream_buffer) return;
  slow_ = true;
  tell_engine(&Engine::pause);
}

void Generation::leave() {
  if (over_ || std::exchange(gone_, true)) return;
  service_.metrics().count_cancelled();
  context_->note.finish_reason = "cancelled";
  cancel();
}

void Generation::cancel() noexcept { tell_engine(&Engine::cancel); }

// A message that is lost for want of memory would let the requests run to their ends, or hold them for ever.
void Generation::tell_engine(void (Engine::*message)(RequestId)) noexcept {
  for (const Prompt& p : prompts_) surely(kWho, [&] { (model_->engine().*message)(p.submission.id); });
}

void Generation::cut_off() {
  if (over_) return;
  cancel();
  fail(ApiError(503, "the server is being stopped"));
}

void Generation::fail(const ApiError& error) {
  if (std::exchange(over_, true)) return;
  cancel();
  context_->note.finish_reason = "error";
  const HttpRequest& request = context_->request();
  if (gone_) {
    context_->abandon();
  } else if (what_.stream && context_->begun()) {
    context_->write(error_event(error, dialect_of(request.path), request.id));
    context_->end(/*close=*/true);
  } else {
    context_->refuse(error);
  }
  model_.reset();
}

void Generation::finish() {
  if (std::exchange(over_, true)) return;
  std::erase_if(answer_.choices, [](const AnswerChoice& c) { return c.missing; });
  RequestNote& note = context_->note;
  note.cached_tokens = answer_.cached_tokens;
  note.completion_tokens = answer_.completion_tokens;
  if (note.finish_reason.empty()) note.finish_reason = finish_word(answer_.choices.front());
  if (service_.options().log_prompts) note.answer = answer_.choices.front().said.text;
  prefill_next_turn();
  model_.reset();
  if (gone_) return context_->abandon();
  if (!what_.stream) return send_whole();
  if (std::string last = writer_->end(answer_); !last.empty()) context_->write(std::move(last));
  context_->end();
}

// A long answer takes time to be put together, which the network's thread has not.
void Generation::send_whole() {
  constexpr int64_t kMany = 4096;  // parts
  if (answer_.completion_tokens * (1 + std::max(0, what_.top_log_probs)) < kMany) return put_together();
  service_.post_work(context_, [self = shared_from_this()] { self->put_together(); });
}

void Generation::put_together() {
  HttpAnswer whole = json_answer(writer_->whole(answer_));
  for (auto& header : writer_->headers(answer_)) whole.headers.push_back(std::move(header));
  context_->send(std::move(whole));
}

void with_model(const std::shared_ptr<RequestContext>& context, std::string_view name, std::function<void(Lease)> make) {
  ModelPool& models = context->service().models();
  if (Lease model = models.get(name)) return make(std::move(model));
  context->exchange().when_gone([&models] { models.look_again(); });
  models.wait_for(name, {.client = context->client(),
                         .gone = [context] { return context->gone(); },
                         .ready =
                             [context, make = std::move(make)](Lease model, const std::exception_ptr& error) {
                               if (!model) return refuse(*context, error);
                               context->service().post_work(context, [make, model = std::move(model)] { make(model); });
                             }});
}

void with_model(const std::shared_ptr<RequestContext>& context, std::function<void(Lease)> make) {
  with_model(context, Fields(context->body()).text("model").value_or(""), std::move(make));
}

void answer(const std::shared_ptr<RequestContext>& context, Lease model, GenerationRequest what,
            std::unique_ptr<ResponseWriter> form) {
  if (context->service().options().role == Role::kPrefill)
    form = make_prefill(what);
  else
    read_prefilled(*context, what);
  std::make_shared<Generation>(context, std::move(model), std::move(what), std::move(form))->start();
}

}  // namespace skald::serve
