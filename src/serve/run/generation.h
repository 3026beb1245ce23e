// Generation: a request that writes, from the engine's events to the client's bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serve/fields/generation_request.h"
#include "serve/models/model_pool.h"
#include "serve/request_context.h"
#include "serve/run/answer.h"

namespace skald {
class AnswerReader;
}

namespace skald::serve {

class Service;

/// Lives until its answer is over. All but start() happens on the network's thread.
class Generation : public std::enable_shared_from_this<Generation> {
 public:
  Generation(std::shared_ptr<RequestContext> context, Lease model, GenerationRequest what,
             std::unique_ptr<ResponseWriter> form);
  ~Generation();

  /// Submits the prompts to the engine; on a worker. Throws the errors of the request, and then nothing was answered.
  void start();
  /// The server ends before the answer does.
  void cut_off();

 private:
  struct Text;  // of the engine: one of a prompt's texts, on the engine's thread
  struct Prompt {
    Submission submission;
    std::vector<std::shared_ptr<Text>> texts;
  };
  std::function<void(const Event&)> listener(size_t prompt);
  std::vector<ReplyDelta> named(std::vector<ReplyDelta> deltas) const;
  void submit(size_t prompt);
  std::string grammar_field() const { return what_.grammar_field.empty() ? "tools" : what_.grammar_field; }
  void refuse_grammar(const std::exception& why) const;
  void begin();
  void post(std::function<void()> f);
  void attempt(const std::function<void()>& f) noexcept;
  void watch_prompt(size_t prompt, Request& request);
  void when_begun(std::function<void()> f);
  void hear(const AnswerDelta& spoken);
  void choice_over(const AnswerDelta& spoken);
  void prompt_over(size_t prompt);
  void write(std::string piece);
  void pause_if_slow();
  void leave();
  void cancel() noexcept;
  void tell_engine(void (Engine::*message)(RequestId)) noexcept;
  void fail(const ApiError& error);
  void finish();
  void send_whole();
  void put_together();
  void prefill_next_turn();
  void note_times(const AnswerDelta& spoken);
  AnswerChoice& choice(int i) { return answer_.choices[static_cast<size_t>(i)]; }

  std::shared_ptr<RequestContext> context_;
  Service& service_;
  Lease model_;
  GenerationRequest what_;
  std::unique_ptr<ResponseWriter> writer_;
  Answer answer_;
  std::vector<Prompt> prompts_;
  size_t prompts_left_ = 0;
  std::vector<std::function<void()>> early_;  // calls from before the answer began
  bool begun_ = false, over_ = false, slow_ = false, gone_ = false;
  std::atomic<bool> lost_ = false;                 // the engine's thread had no memory for an event
  std::vector<HttpClock::time_point> last_token_;  // of each choice
};

/// Runs `make` on a worker when the model of this name is there; its exceptions are answered.
void with_model(const std::shared_ptr<RequestContext>& context, std::string_view name, std::function<void(Lease)> make);
/// The same for the model that the body names.
void with_model(const std::shared_ptr<RequestContext>& context, std::function<void(Lease)> make);

/// Begins a run.
void answer(const std::shared_ptr<RequestContext>& context, Lease model, GenerationRequest what,
            std::unique_ptr<ResponseWriter> form);

}  // namespace skald::serve
