// Answer: the result of a request, and the forms in which clients want it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"
#include "serve/json.h"
#include "skald/engine.h"
#include "skald/reply.h"

namespace skald {
class Tokenizer;
}

namespace skald::serve {

/// One event of a text.
struct AnswerDelta {
  int choice = 0;
  std::string text = {};                // whole characters
  std::vector<ReplyDelta> deltas = {};  // of a chat: the pieces of the text
  TokenId token = -1;                   // -1: the text is over
  bool last = false;                    // and all texts of its prompt are
  bool reasoning = false;               // the token is of the reasoning
  double log_prob = 0;
  std::vector<TokenLogProb> top_log_probs = {};
};

/// The log probabilities of a prompt's tokens, for answers that repeat it.
struct PromptSaid {
  std::vector<TokenId> tokens = {};
  std::vector<double> log_probs = {};  // of those after the first
  std::vector<std::vector<TokenLogProb>> top_log_probs = {};
};

/// How much of a prompt is read.
struct PromptProgress {
  int prompt = 0;
  std::optional<int64_t> before = {};       // while it waits for a slot: requests that have their turn before it
  int64_t total = 0, cached = 0, done = 0;  // tokens; done: with the cached ones
  double seconds = 0;                       // since its reading began
};

struct AnswerChoice {
  size_t prompt = 0;
  Choice said = {};  // when it is over: text, tokens, why it ended
  Reply reply = {};  // of a chat
  bool over = false;
  bool missing = false;  // a search found fewer texts
  FinishReason finish = FinishReason::kNone;
};

struct Answer {
  std::string id;     // without the prefix of an API
  std::string model;  // its name
  int64_t created;    // Unix time
  bool chat = false;
  bool include_usage = false, return_tokens = false;
  int top_log_probs = -1;
  const Tokenizer* tokenizer = nullptr;
  const Request* request = nullptr;
  std::vector<std::string> echoed = {};
  std::vector<PromptSaid> prompts_said = {};  // where log-probabilities are asked for with it
  int n = 1;                                  // choices of a prompt
  bool ranked = false;                        // the best of more
  std::vector<AnswerChoice> choices = {};     // prompt by prompt

  std::vector<int64_t> prompt_lengths = {};  // in tokens
  int64_t prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0, reasoning_tokens = 0;
  StoredPrefix stored = {};  // of a prefill
  DraftUse drafts = {};
  double prompt_seconds = 0, generate_seconds = 0;
  uint64_t seed = 0;

  /// Returns the text that the answer begins with; empty unless the prompt is echoed.
  std::string_view echo(int choice) const;
};

/// How an answer is written for one API. Used by one answer, on one thread.
class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  /// Returns the beginning of the ids of calls to which the model gave none.
  virtual std::string_view call_prefix() const { return "call_"; }
  virtual std::string_view content_type() const { return "text/event-stream"; }
  virtual std::string ping() const { return ": ping\n\n"; }
  /// Write the pieces of a stream: at its beginning, while its prompts are read, of an event, when a choice is over, and at
  /// its end. An empty piece is not sent.
  virtual std::string begin(const Answer&) { return {}; }
  virtual std::string reading(const Answer&, const PromptProgress&) { return {}; }
  virtual std::string said(const Answer& answer, const AnswerDelta& spoken) = 0;
  virtual std::string finish(const Answer& answer, int choice) = 0;
  virtual std::string end(const Answer&) { return {}; }
  /// Returns the answer as a whole, and headers of its own.
  virtual Json whole(const Answer& answer) = 0;
  virtual HttpFields headers(const Answer&) { return {}; }
};

/// OpenAI's words: "stop", "length", "tool_calls".
std::string_view finish_word(const AnswerChoice& choice);
Json usage_json(const Answer& answer);
Json timings_json(const Answer& answer);
/// llama-server's words, for the field `prompt_progress`, and `queued_before` of a request that waits.
Json progress_json(const PromptProgress& progress);
/// Returns a token's text; bytes that are no UTF-8 are for dump() to replace.
std::string token_text(const Answer& answer, TokenId token);
/// Returns a tool call as the chat API has it.
Json call_json(const ReplyCall& call, int index, bool with_index);

/// Random letters and digits, for ids.
std::string random_id(size_t length = 24);

}  // namespace skald::serve
