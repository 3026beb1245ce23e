// Submits a run's prompts to the engine, and hears its events.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "serve/api_error.h"
#include "serve/fields/error_place.h"
#include "serve/run/generation.h"
#include "serve/service.h"
#include "text/tokenizer.h"
#include "tools/chat/answer_reader.h"
#include "tools/chat/reasoning_budget.h"

namespace skald::serve {

// Reads a chat's text, piece by piece.
struct Generation::Text {
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

void Generation::start() {
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
    cancel();
    refuse_grammar(e);
    throw;
  }
  context_->forget_body();  // a client that has its answer may count on the room
  service_.post(std::move(begin));
}

// All other faults of a request were looked for before: where the engine rejects one with a grammar, the grammar is at
// fault.
void Generation::refuse_grammar(const std::exception& why) const {
  const auto* error = dynamic_cast<const Error*>(&why);
  if (!error || what_.request.grammar.empty()) return;
  if (error->code() != Errc::kBadInput && error->code() != Errc::kUnsupported) return;
  const auto* const placed = dynamic_cast<const DocumentError*>(&why);
  const std::string place = placed ? place_of(*placed, context_->body(), grammar_field()) : grammar_field();
  const bool schema = std::string_view(error->what()).starts_with("JSON schema");
  throw ApiError(400, place + ": " + error->what(), place, schema ? "unsupported_schema" : "unsupported_grammar");
}

void Generation::submit(size_t prompt) {
  Request request = what_.request;
  request.prompt = what_.prompts[prompt];
  Prompt& p = prompts_.emplace_back();
  if (what_.chat)
    for (int i = 0; i < request.n; ++i) p.texts.push_back(std::make_shared<Text>(*what_.chat));
  if (const auto& chat = what_.chat)
    request.forcer =
        reasoning_budget(model_->tokenizer(), {chat->format, chat->ending + chat->begun, chat->options.reasoning_budget});
  request.on_event = listener(prompt);
  if (what_.return_progress) watch_prompt(prompt, request);
  try {
    p.submission = model_->engine().submit(std::move(request));
  } catch (...) {
    prompts_.pop_back();
    throw;
  }
}

void Generation::watch_prompt(size_t prompt, Request& request) {
  struct Reading : PromptProgress {
    HttpClock::time_point began;
  };
  const auto reading = std::make_shared<Reading>();
  reading->prompt = static_cast<int>(prompt);
  reading->total = std::ssize(request.prompt);
  const auto tell = [self = shared_from_this(), reading] {
    self->post([self, now = PromptProgress(*reading)] {
      self->when_begun([self, now] {
        if (!self->over_ && !self->gone_) self->write(self->writer_->reading(self->answer_, now));
      });
    });
  };
  const auto tell_done = [reading, tell](int64_t done) {
    reading->done = std::max(reading->done, done);
    reading->seconds = std::chrono::duration<double>(HttpClock::now() - reading->began).count();
    tell();
  };
  request.on_wait = [reading, tell](int64_t before) {
    reading->before = before;
    tell();
  };
  request.on_start = [reading, tell_done](int64_t cached) {
    reading->before.reset();
    reading->began = HttpClock::now();
    reading->cached = cached;
    tell_done(cached);
  };
  request.on_prompt = tell_done;
}

// Calls get ids where the model gave none, as the templates of its format take them.
std::vector<ReplyDelta> Generation::named(std::vector<ReplyDelta> deltas) const {
  constexpr size_t kShort = 9;
  const bool is_short = what_.chat->format->short_ids;
  for (ReplyDelta& delta : deltas)
    if (delta.kind == ReplyDelta::Kind::kCall && delta.call.id.empty())
      delta.call.id = is_short ? random_id(kShort) : std::string(writer_->call_prefix()) + random_id();
  return deltas;
}

// Reads on the engine's thread; the rest is the network's.
std::function<void(const Event&)> Generation::listener(size_t prompt) {
  const auto hear = [self = shared_from_this(), prompt, texts = prompts_[prompt].texts](const Event& e) {
    AnswerDelta out{.choice = static_cast<int>(prompt) * self->what_.request.n + e.branch, .text = std::string(e.text)};
    out.token = e.token;
    out.last = e.over;
    out.log_prob = e.log_prob;
    out.top_log_probs.assign(e.top_log_probs.begin(), e.top_log_probs.end());
    const bool ended = e.finish != FinishReason::kNone;
    if (!texts.empty()) {
      Text& text = *texts[static_cast<size_t>(e.branch)];
      out.reasoning = e.token >= 0 && text.reader.in_reasoning();
      text.reader.push(e);
      if (ended) text.reader.finish(e.finish == FinishReason::kLength || e.finish == FinishReason::kContext);
      out.deltas = self->named(std::exchange(text.deltas, {}));
    }
    self->post([self, ended, finish = e.finish, out = std::move(out)] {
      if (ended) self->choice(out.choice).finish = finish;
      self->when_begun([self, out] { self->hear(out); });
    });
  };
  // An answer that lacks a piece does not go on. When its texts are over no callback holds the run, and its exchange is
  // dropped.
  return [self = shared_from_this(), hear](const Event& e) {
    if (!self->lost_ && !guarded("serve: a token", [&] { hear(e); })) self->lost_ = true;
    if (self->lost_) e.stop = true;
  };
}

}  // namespace skald::serve
