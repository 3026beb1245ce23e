#include "serve/run.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/log.h"
#include "kernels/api/kv_page.h"
#include "loading/loaded_model.h"
#include "serve/service.h"
#include "text/tokenizer.h"
#include "tools/chat/answer_reader.h"

namespace skald::serve {
namespace {

int64_t unix_time() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double seconds(HttpClock::duration d) { return std::chrono::duration<double>(d).count(); }

ApiError error_of(const Result& result) {
  if (result.code == Errc::kNoMemory) return ApiError(503, result.error);
  // Of a grammar whose states became too many.
  if (result.code == Errc::kBadInput) return ApiError(400, result.error, "grammar", "unsupported_grammar");
  return ApiError(500, result.error);
}

template <class T>
void put_in_front(const std::vector<T>& first, std::vector<T>& second) {
  second.insert(second.begin(), first.begin(), first.end());
}

// Of a text that was written in two parts, the second becomes the whole.
void put_in_front(const Result& first, Result& second) {
  put_in_front(first.tokens, second.tokens);
  put_in_front(first.log_probs, second.log_probs);
  put_in_front(first.top_log_probs, second.top_log_probs);
  second.text.insert(0, first.text);
  Timing& all = second.timing;
  all.n_cached = first.timing.n_cached;
  all.n_generated += first.timing.n_generated;
  all.prompt_seconds += first.timing.prompt_seconds;
  all.generate_seconds += first.timing.generate_seconds;
  all.queue_seconds += first.timing.queue_seconds;
}

}  // namespace

// What a chat's text says, piece by piece.
struct Run::Text {
  explicit Text(const ChatReading& chat)
      : reader(*chat.format,
               {.tools = chat.options.tools.is_array() ? ReplyTools::parse(chat.options.tools.dump()) : ReplyTools(),
                .generation_prompt = chat.ending},
               chat.options, on_delta),
        on_delta([this](const ReplyDelta& delta) { deltas.push_back(delta); }) {}

  AnswerReader reader;
  AnswerReader::OnDelta on_delta;
  std::vector<ReplyDelta> deltas;
};

// Of a budget for reasoning each text is a request of its own, since each goes on when its reasoning is ended.
void Run::split_choices() {
  if (!what_.chat || what_.chat->options.reasoning_budget < 0 || what_.request.n == 1) return;
  const auto prompts = std::exchange(what_.prompts, {});
  for (const auto& prompt : prompts) what_.prompts.insert(what_.prompts.end(), static_cast<size_t>(what_.request.n), prompt);
  choices_apart_ = std::exchange(what_.request.n, 1);
}

Run::Run(std::shared_ptr<Call> call, Lease model, Generation what, std::unique_ptr<AnswerForm> form)
    : call_(std::move(call)),
      service_(call_->service()),
      model_(std::move(model)),
      what_(std::move(what)),
      form_(std::move(form)) {
  for (const auto& prompt : what_.prompts) answer_.prompt_tokens += std::ssize(prompt);
  split_choices();
  prompts_left_ = what_.prompts.size();
  const size_t choices = what_.prompts.size() * static_cast<size_t>(what_.request.n);
  what_.request.reuse_generated = service_.options().reuse_generated;
  what_.request.log_prob = what_.top_log_probs >= 0;
  what_.request.top_log_probs = std::max(0, what_.top_log_probs);
  answer_.id = random_id();
  answer_.model = model_->id();
  answer_.created = unix_time();
  answer_.chat = what_.chat.has_value();
  answer_.include_usage = what_.include_usage;
  answer_.return_tokens = what_.return_tokens;
  answer_.top_log_probs = what_.top_log_probs;
  answer_.tokenizer = model_->model().loaded()->find_tokenizer();
  answer_.request = &what_.request;
  answer_.echoed = what_.echoed;
  answer_.n = what_.request.n;
  answer_.choices.resize(choices);
  last_token_.resize(choices);
  call_->note.model = answer_.model;
  call_->note.prompt_tokens = answer_.prompt_tokens;
}

Run::~Run() { service_.remove(this); }

void Run::start() {
  service_.add(shared_from_this());
  prompts_.reserve(what_.prompts.size());
  try {
    for (size_t i = 0; i < what_.prompts.size(); ++i) submit(i);
  } catch (...) {
    for (const Prompt& p : prompts_) model_->engine().cancel(p.submission.id);
    throw;
  }
  service_.post([self = shared_from_this()] { self->begin(); });
}

Request Run::request_for(size_t prompt) const {
  Request out = what_.request;
  out.prompt = what_.prompts[prompt];
  if (choices_apart_ > 1 && out.sampling.seed != SamplingParams::kRandomSeed)
    out.sampling.seed += prompt % static_cast<size_t>(choices_apart_);
  return out;
}

void Run::submit(size_t prompt) {
  Request request = request_for(prompt);
  Prompt& p = prompts_.emplace_back();
  p.left = request.n;
  if (what_.chat)
    for (int i = 0; i < request.n; ++i) p.texts.push_back(std::make_shared<Text>(*what_.chat));
  request.on_event = listener(prompt);
  try {
    p.submission = model_->engine().submit(std::move(request));
  } catch (...) {
    prompts_.pop_back();
    throw;
  }
}

// Reads on the engine's thread, so that the reading may end a text at the very token; the rest is the network's.
std::function<void(const Event&)> Run::listener(size_t prompt) {
  return [self = shared_from_this(), prompt, texts = prompts_[prompt].texts](const Event& e) {
    Spoken out{.choice = static_cast<int>(prompt) * self->what_.request.n + e.branch, .text = std::string(e.text)};
    out.token = e.token;
    out.log_prob = e.log_prob;
    out.top_log_probs.assign(e.top_log_probs.begin(), e.top_log_probs.end());
    const bool ended = e.finish != FinishReason::kNone;
    if (!texts.empty()) {
      Text& text = *texts[static_cast<size_t>(e.branch)];
      out.reasoning = e.token >= 0 && text.reader.in_reasoning();
      if (text.reader.push(e)) e.stop = true;
      if (ended && text.reader.over_budget() && e.finish == FinishReason::kStop)
        out.closing = text.reader.end_reasoning();
      else if (ended)
        text.reader.finish(e.finish == FinishReason::kLength || e.finish == FinishReason::kContext);
      out.deltas = std::exchange(text.deltas, {});
    }
    self->service_.post([self, prompt, ended, finish = e.finish, out = std::move(out)] {
      if (ended && out.closing.empty()) self->choice(out.choice).finish = finish;
      if (!self->begun_) return self->early_.push_back(out);
      self->hear(out);
    });
  };
}

void Run::begin() {
  begun_ = true;
  Exchange& exchange = call_->exchange();
  exchange.when_gone([self = weak_from_this()] {
    if (const auto run = self.lock()) run->leave();
  });
  exchange.when_sent([self = weak_from_this()] {
    const auto run = self.lock();
    if (!run || run->over_ || !std::exchange(run->slow_, false)) return;
    for (const Prompt& p : run->prompts_) run->model_->engine().resume(p.submission.id);
  });
  if (what_.stream && !over_) {
    const auto every = std::chrono::milliseconds(static_cast<int64_t>(service_.options().ping_every * 1000));
    call_->begin(
        {200,
         {{"content-type", std::string(form_->content_type())}, {"cache-control", "no-cache"}, {"x-accel-buffering", "no"}}},
        {every.count() > 0 ? form_->ping() : "", every});
    write(form_->begin(answer_));
  }
  for (const Spoken& spoken : std::exchange(early_, {})) hear(spoken);
}

void Run::hear(const Spoken& spoken) {
  if (over_) return;
  AnswerChoice& c = choice(spoken.choice);
  c.reply.add(spoken.deltas);
  answer_.reasoning_tokens += spoken.reasoning;
  note_times(spoken);
  if (what_.stream && !gone_) write(form_->said(answer_, spoken));
  if (!spoken.closing.empty()) return go_on(static_cast<size_t>(spoken.choice), spoken.closing);
  if (spoken.token < 0 && c.finish != FinishReason::kNone) choice_over(spoken.choice);
}

// The reasoning was ended as the model would end it; the answer goes on behind that as another request.
void Run::go_on(size_t prompt, const std::string& closing) {
  Prompt& p = prompts_[prompt];
  p.before = p.submission.result.get();
  Request rest = request_for(prompt);
  const std::vector<TokenId> end = model_->tokenizer().encode(closing, {.add_special = false});
  for (const std::vector<TokenId>* part : {&std::as_const(p.before->tokens), &end})
    rest.prompt.insert(rest.prompt.end(), part->begin(), part->end());
  if (rest.max_tokens >= 0) rest.max_tokens = std::max(1, rest.max_tokens - static_cast<int>(p.before->tokens.size()));
  rest.grammar.reply.prompt_end = closing;
  rest.grammar.reply.reasoning = false;
  rest.on_event = listener(prompt);
  service_.workers().post(
      [self = shared_from_this(), model = model_, prompt, rest = std::make_shared<Request>(std::move(rest))] {
        try {
          auto submission = std::make_shared<Submission>(model->engine().submit(std::move(*rest)));
          self->service_.post([self, prompt, submission] {
            self->prompts_[prompt].submission = std::move(*submission);
            if (self->gone_ || self->over_) self->cancel();
          });
        } catch (const std::exception& e) {
          self->service_.post([self, error = as_api_error(e)] { self->fail(error); });
        }
      });
}

void Run::note_times(const Spoken& spoken) {
  if (spoken.token < 0) return;
  const auto now = HttpClock::now();
  auto& last = last_token_[static_cast<size_t>(spoken.choice)];
  if (last == HttpClock::time_point{}) {
    if (call_->note.first_token_seconds == 0) {
      call_->note.first_token_seconds = call_->seconds();
      service_.metrics().add(Metrics::Time::kFirstToken, call_->note.first_token_seconds);
    }
  } else {
    service_.metrics().add(Metrics::Time::kInterToken, seconds(now - last));
  }
  last = now;
}

void Run::choice_over(int i) {
  AnswerChoice& c = choice(i);
  if (std::exchange(c.over, true)) return;
  const auto prompt = static_cast<size_t>(i / answer_.n);
  Prompt& p = prompts_[prompt];
  // A request that ends before it began tells of one text only.
  const bool unrun = c.finish == FinishReason::kCancelled || what_.request.max_tokens == 0;
  p.left = unrun ? 0 : p.left - 1;
  if (p.left == 0) prompt_over(prompt);
  if (over_) return;
  const int first = static_cast<int>(prompt) * answer_.n;
  if (what_.stream && !gone_)
    for (int k = unrun ? first : i; k < (unrun ? first + answer_.n : i + 1); ++k) write(form_->finish(answer_, k));
  if (prompts_left_ == 0) finish();
}

// The promise is kept right behind the last event.
void Run::prompt_over(size_t prompt) {
  Result result = prompts_[prompt].submission.result.get();
  if (std::optional<Result>& before = prompts_[prompt].before) put_in_front(*before, result);
  --prompts_left_;
  answer_.cached_tokens += result.timing.n_cached;
  answer_.completion_tokens += result.timing.n_generated;
  answer_.prompt_seconds = std::max(answer_.prompt_seconds, result.timing.prompt_seconds);
  answer_.generate_seconds = std::max(answer_.generate_seconds, result.timing.generate_seconds);
  answer_.seed = result.seed;
  call_->note.queue_seconds = std::max(call_->note.queue_seconds, result.timing.queue_seconds);
  service_.metrics().add(Metrics::Time::kQueue, result.timing.queue_seconds);
  if (result.finish == FinishReason::kError && !gone_) return fail(error_of(result));
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
    c.over = true;
  }
}

void Run::write(std::string piece) {
  if (piece.empty()) return;
  call_->write(std::move(piece));
  pause_if_slow();
}

// Who does not read gets no more than fits into the buffer.
void Run::pause_if_slow() {
  if (slow_ || static_cast<int64_t>(call_->exchange().unsent()) <= service_.options().stream_buffer) return;
  slow_ = true;
  for (const Prompt& p : prompts_) model_->engine().pause(p.submission.id);
}

void Run::leave() {
  if (over_ || std::exchange(gone_, true)) return;
  service_.metrics().count_cancelled();
  call_->note.finish_reason = "cancelled";
  cancel();
}

void Run::cancel() {
  for (const Prompt& p : prompts_) model_->engine().cancel(p.submission.id);
}

void Run::cut_off() {
  if (over_) return;
  cancel();
  fail(ApiError(503, "the server is being stopped"));
}

void Run::fail(const ApiError& error) {
  if (std::exchange(over_, true)) return;
  cancel();
  call_->note.finish_reason = "error";
  const HttpRequest& request = call_->request();
  if (gone_) {
    call_->abandon();
  } else if (what_.stream) {
    call_->write(error_event(error, dialect_of(request.path), request.id));
    call_->end(/*close=*/true);
  } else {
    call_->refuse(error);
  }
  model_.reset();
}

void Run::finish() {
  if (std::exchange(over_, true)) return;
  CallNote& note = call_->note;
  note.cached_tokens = answer_.cached_tokens;
  note.completion_tokens = answer_.completion_tokens;
  if (note.finish_reason.empty()) note.finish_reason = finish_word(answer_.choices.front());
  read_ahead();
  model_.reset();
  if (gone_) return call_->abandon();
  if (!what_.stream) return call_->send(form_->whole(answer_));
  if (std::string last = form_->end(answer_); !last.empty()) call_->write(std::move(last));
  call_->end();
}

// What a next turn begins with is computed when nobody needs the engine. A next turn takes keys of prompts only, so that
// what was generated is computed again, as a part of one.
void Run::read_ahead() {
  const ServeOptions& options = service_.options();
  const FinishReason why = answer_.choices.front().finish;
  const bool ended = why == FinishReason::kEnd || why == FinishReason::kStop;
  if (!ended || gone_ || !options.read_ahead || options.reuse_generated || !options.engine.cache.share_prefixes ||
      !what_.request.cache_prompt || answer_.choices.size() > 1 || service_.draining())
    return;
  Request ahead;
  ahead.scope = what_.request.scope;
  ahead.read_ahead = true;
  ahead.reuse_generated = false;
  if (!what_.next_turn) {
    ahead.prompt = what_.prompts.front();
    const std::vector<TokenId>& said = answer_.choices.front().said.tokens;
    ahead.prompt.insert(ahead.prompt.end(), said.begin(), said.end());
  }
  service_.workers().post([model = model_, next = what_.next_turn, reply = answer_.choices.front().reply, ahead]() mutable {
    try {
      if (next) ahead.prompt = next(reply);
      if (std::ssize(ahead.prompt) > kPageKeys && std::ssize(ahead.prompt) < model->engine().n_ctx())
        model->engine().submit(std::move(ahead));
    } catch (const std::exception& e) {
      log(LogLevel::kInfo, "serve: nothing is read ahead: {}", e.what());
    }
  });
}

void with_model(const std::shared_ptr<Call>& call, std::string_view name, std::function<void(Lease)> make) {
  call->service().models().get(name, [call, make = std::move(make)](Lease model, std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
      make(std::move(model));
    } catch (const std::exception& e) {
      call->refuse(as_api_error(e));
    }
  });
}

void answer(const std::shared_ptr<Call>& call, Lease model, Generation what, std::unique_ptr<AnswerForm> form) {
  std::make_shared<Run>(call, std::move(model), std::move(what), std::move(form))->start();
}

}  // namespace skald::serve
