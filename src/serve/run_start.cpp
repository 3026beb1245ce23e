// What a run gives the engine, and how it hears what comes of that.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "serve/api_error.h"
#include "serve/error_place.h"
#include "serve/run.h"
#include "serve/service.h"
#include "text/tokenizer.h"
#include "tools/chat/answer_reader.h"

namespace skald::serve {

// What a chat's text says, piece by piece.
struct Run::Text {
  explicit Text(const ChatReading& chat)
      : reader(
            *chat.format,
            {.tools = chat.options.tools.is_array() ? ReplyTools::parse(callable_tools(chat.options).dump()) : ReplyTools(),
             .generation_prompt = chat.ending + chat.begun},
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

void Run::start() {
  service_.add(shared_from_this());
  prompts_.reserve(what_.prompts.size());
  // Made before the engine has anything of it: one of them is posted.
  Errand begin = [self = shared_from_this()] { self->attempt([&] { self->begin(); }); };
  Errand drop = [self = shared_from_this()] {
    self->begun_ = self->over_ = true;
    self->early_.clear();
  };
  try {
    for (size_t i = 0; i < what_.prompts.size(); ++i) submit(i);
  } catch (const std::exception& e) {
    service_.post(std::move(drop));
    for (const Prompt& p : prompts_) model_->engine().cancel(p.submission.id);
    refuse_grammar(e);
    throw;
  }
  service_.post(std::move(begin));
}

// All else that may be wrong with a request was looked at before: what the engine refuses of one with a grammar is that.
void Run::refuse_grammar(const std::exception& why) const {
  const auto* error = dynamic_cast<const Error*>(&why);
  if (!error || what_.request.grammar.empty()) return;
  if (error->code() != Errc::kBadInput && error->code() != Errc::kUnsupported) return;
  const auto* const placed = dynamic_cast<const DocumentError*>(&why);
  const std::string place = placed ? place_of(*placed, call_->body(), grammar_field()) : grammar_field();
  const bool schema = std::string_view(error->what()).starts_with("JSON schema");
  throw ApiError(400, place + ": " + error->what(), place, schema ? "unsupported_schema" : "unsupported_grammar");
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
  if (what_.return_progress) watch_prompt(prompt, request);
  try {
    p.submission = model_->engine().submit(std::move(request));
  } catch (...) {
    prompts_.pop_back();
    throw;
  }
}

void Run::watch_prompt(size_t prompt, Request& request) {
  struct Reading : PromptProgress {
    HttpClock::time_point began;
  };
  const auto reading = std::make_shared<Reading>();
  reading->prompt = static_cast<int>(prompt);
  reading->total = std::ssize(request.prompt);
  const auto tell = [self = shared_from_this(), reading](int64_t done) {
    reading->done = std::max(reading->done, done);
    reading->seconds = std::chrono::duration<double>(HttpClock::now() - reading->began).count();
    self->post([self, now = PromptProgress(*reading)] {
      self->when_begun([self, now] {
        if (!self->over_ && !self->gone_) self->write(self->form_->reading(self->answer_, now));
      });
    });
  };
  request.on_start = [reading, tell](int64_t cached) {
    reading->began = HttpClock::now();
    reading->cached = cached;
    tell(cached);
  };
  request.on_prompt = tell;
}

// Calls get ids where the model gave none, as the templates of its format take them.
std::vector<ReplyDelta> Run::named(std::vector<ReplyDelta> deltas) const {
  constexpr size_t kShort = 9;
  const bool is_short = what_.chat->format->short_ids;
  for (ReplyDelta& delta : deltas)
    if (delta.kind == ReplyDelta::Kind::kCall && delta.call.id.empty())
      delta.call.id = is_short ? random_id(kShort) : std::string(form_->call_prefix()) + random_id();
  return deltas;
}

// Reads on the engine's thread, so that the reading may end a text at the very token; the rest is the network's.
std::function<void(const Event&)> Run::listener(size_t prompt) {
  const auto hear = [self = shared_from_this(), prompt, texts = prompts_[prompt].texts](const Event& e) {
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
      out.deltas = self->named(std::exchange(text.deltas, {}));
    }
    self->post([self, prompt, ended, finish = e.finish, out = std::move(out)] {
      if (ended && out.closing.empty()) self->choice(out.choice).finish = finish;
      self->when_begun([self, out] { self->hear(out); });
    });
  };
  // An answer that lacks a piece does not go on. When its texts are over nobody has the run, and its exchange is dropped.
  return [self = shared_from_this(), hear](const Event& e) {
    if (!self->lost_ && !guarded("serve: a token", [&] { hear(e); })) self->lost_ = true;
    if (self->lost_) e.stop = true;
  };
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
      {.run =
           [self = shared_from_this(), model = model_, prompt, rest = std::make_shared<Request>(std::move(rest))] {
             try {
               auto submission = std::make_shared<Submission>(model->engine().submit(std::move(*rest)));
               self->post([self, prompt, submission] {
                 self->prompts_[prompt].submission = std::move(*submission);
                 if (self->gone_ || self->over_) self->cancel();
               });
             } catch (const std::exception& e) {
               self->post([self, error = as_api_error(e)] { self->fail(error); });
             }
           },
       .client = call_->client()});
}

}  // namespace skald::serve
