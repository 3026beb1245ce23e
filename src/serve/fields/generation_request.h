// GenerationRequest: what a request wants written, read of its fields.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "serve/fields/fields.h"
#include "serve/models/served_model.h"
#include "skald/engine.h"
#include "tools/chat/chat_session.h"

namespace skald::serve {

/// How the text of a chat's answer is read.
struct ChatReading {
  ChatOptions options;  // its tools, choice of tools, and what becomes of reasoning
  std::string ending;   // of the prompt: what begins the answer
  std::string begun;    // after that: what is there of an answer that is continued
  const ReplyFormat* format = nullptr;
  bool thinks = true;  // the answer may begin with reasoning
};

/// Limits the tokens of one place in a text whose log-probabilities OpenAI's APIs give.
inline constexpr int64_t kMostLogProbs = 20;

struct GenerationRequest {
  std::vector<std::vector<TokenId>> prompts;
  std::vector<std::string> echoed = {};  // the prompts' texts, which go before the answers; empty: they do not
  Request request = {};                  // for each prompt
  std::string grammar_field = {};        // of the request, that asks for its grammar
  int top_log_probs = -1;                // to be told of each token; -1: no log-probabilities
  bool stream = false;
  bool include_usage = false;  // at the end of a stream
  bool return_tokens = false;
  bool return_progress = false;  // a stream tells how much of its prompts is read
  std::optional<ChatReading> chat = {};
  /// What the prompt of a next turn will begin with, for reading ahead; empty: the prompt and the answer.
  std::function<std::vector<TokenId>(const Reply& reply)> next_turn = {};
};

/// Who asks, for what a request shares with others.
struct Asker {
  std::string owner;  // of the API key
};

/// The temperatures of the APIs of OpenAI and Anthropic, and of those of llama-server and Ollama, where neither the request,
/// a flag nor the model's file says one.
constexpr float kOpenAiTemperature = 1.0f, kLlamaTemperature = 0.8f;

/// Fields of all endpoints that write: how tokens are chosen, how many, up to which texts, under which grammar, and how the
/// request waits and shares. `model` gives defaults, `temperature` where its file has none. Throws ApiError naming the
/// field.
void read_generation(const Fields& fields, ServedModel& model, float temperature, const Asker& asker,
                     GenerationRequest& out);

/// The same over the request's own sampling parameters, without what needs the model itself: gives the texts for DRY, as
/// read_sampling() does.
std::vector<std::string> read_request(const Fields& fields, int64_t n_vocab, const Asker& asker, GenerationRequest& out);

/// `stream` and `stream_options.include_usage`.
void read_stream(const Fields& fields, bool usual, GenerationRequest& out);

/// `return_progress`, of streams.
void read_progress(const Fields& fields, GenerationRequest& out);

/// `n` and `best_of`; `use_beam_search` and `length_penalty`, as vLLM has them: a search with `best_of` live texts. Tells of
/// samplers' fields, which have no part in it.
void read_choices(const Fields& fields, GenerationRequest& out);

/// `stop`: a string or a list of strings.
std::vector<std::string> read_stop(const Fields& fields, std::string_view key);

/// The grammar of `grammar`, `json_schema` or `response_format`, at most one of them.
GrammarParams read_grammar(const Fields& fields);

/// The grammar of a format as /v1/responses (`text.format`) and /v1/messages (`output_config.format`) have it: a type of
/// `types` with its `schema` beside it. Throws ApiError naming the field.
void read_output_format(const Fields& fields, std::string_view key, std::initializer_list<std::string_view> types,
                        GenerationRequest& out);

/// Throws ApiError (400) for a prompt that leaves no room for a token.
void check_length(int64_t n_prompt, ServedModel& model, std::string_view field);

/// Gives the tokens of the context that prompts leave to the answer where they are cut to fit.
int64_t answer_room(const Request& request, int64_t n_ctx);

/// What requests share prefixes by: the key's owner and the salt.
std::string cache_namespace(const std::string& owner, const std::string& salt);
/// What all scopes of an owner begin with.
std::string cache_owner(const std::string& owner);

}  // namespace skald::serve
