// ChatSession: a talk with a model: its messages, and answers to them that compute the new tokens alone.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skald/engine.h"
#include "skald/model.h"
#include "text/chat/adapted_chat.h"
#include "text/chat/replies/reply_parser.h"

namespace skald {

struct ChatOptions {
  nlohmann::ordered_json tools, documents, kwargs;  // as in ChatRequest
  SamplingParams sampling;  // of a seed that was given, the i-th answer to a message draws from seed + i
  int max_tokens = -1;      // of an answer; -1: until the model ends it or the context is full
  GrammarParams grammar;    // of answers: of their content, after the reasoning that is told apart
  ReplyParams::ToolChoice tool_choice = ReplyParams::ToolChoice::kAuto;
  std::string tool = {};       // the only one that may be called; empty: any
  bool parallel_calls = true;  // several in one answer
  std::vector<std::string> stop;
  bool ignore_eos = false;
  bool reuse_generated = true;             // keys of answers are taken over as they were generated
  bool separate_reasoning = true;          // else reasoning is content
  int64_t reasoning_budget = -1;           // most tokens of reasoning; then it is ended. -1: no limit
  bool forgets_turns = true;               // the oldest, where the context is full; else that is an error
  std::optional<bool> continues = {};      // an answer that the messages end with; nothing: it is, if it calls nothing
  std::vector<std::string> callable = {};  // names of the tools that may be called; empty: all
};

/// Callbacks while an answer is computed; `delta` and `prompt` on the engine's thread. Any may be empty.
struct ChatHears {
  std::function<void(std::span<const TokenId> prompt)> begin;  // on the caller's thread, before the prompt is read
  std::function<void(const ReplyDelta&)> delta = {};
  std::function<void(int64_t done, int64_t total)> prompt;  // tokens of it that have keys
  std::function<bool()> stop;                               // whether to end the answer
};

struct ChatAnswer {
  Reply reply;
  Result result;           // of the engine
  int64_t n_context = 0;   // tokens of prompt and answer
  int64_t n_left_out = 0;  // turns that were forgotten to make room
};

/// Returns the messages with this system message in front, in place of another one; empty: none.
nlohmann::ordered_json with_system(nlohmann::ordered_json messages, std::string_view text);

/// Returns the tools that may be called: a JSON list, or null where there are no tools.
nlohmann::ordered_json callable_tools(const ChatOptions& options);

/// Returns the prompt that messages become.
AdaptedChat rendered_chat(const ChatTemplate& chat_template, const ChatOptions& options,
                          const nlohmann::ordered_json& messages);

class AnswerReader;

class ChatSession {
 public:
  using Json = nlohmann::ordered_json;

  /// `model` and `engine` must outlive it.
  ChatSession(const Model& model, Engine& engine, ChatTemplate chat_template, ChatOptions options);
  ~ChatSession();
  ChatSession(const ChatSession&) = delete;
  ChatSession& operator=(const ChatSession&) = delete;

  const Json& messages() const { return messages_; }
  /// Throws Error (kBadInput) unless it is a list of objects with roles.
  void set_messages(Json messages);
  /// The message that begins the chat; empty: none.
  void set_system(std::string_view text);
  /// Its text; empty where there is none.
  std::string system() const;
  /// All messages go but the system's.
  void clear();
  void say(std::string_view text);
  /// Adds the result of a tool that the last answer called; does nothing where none waits for one.
  bool give_result(std::string_view text);
  /// Calls of the last answer without a result.
  std::vector<std::string> open_calls() const;
  /// The last answer goes, so that the user's message gets another one. False where there is no such message.
  bool take_back_answer();
  /// The user's last message goes as well; its text.
  std::optional<std::string> take_back_message();

  /// Answers the messages and adds the answer to them. Where the context has no room for an answer, turns after the system
  /// message go, the oldest first, until half of it is free. Throws Error: kBadInput of the template, or where the last
  /// message alone does not fit.
  ChatAnswer answer(const ChatHears& hears);

  /// Writes the keys of the last answer's tokens into a file of this folder. No tokens: nothing was answered, and there is
  /// no file. Throws Error as Engine::save_slot() does.
  SlotFile save_keys(const std::string& folder, const std::string& name);
  /// Reads such a file, so that the next answer need not compute these keys. Throws Error as Engine::restore_slot() does.
  int64_t load_keys(const std::string& folder, const std::string& name);

  /// Returns the tokens of the messages as a prompt.
  std::vector<TokenId> prompt() const;
  SamplingParams& sampling() { return options_.sampling; }
  int64_t n_ctx() const { return engine_.n_ctx(); }

 private:
  AdaptedChat rendered() const { return rendered_chat(template_, options_, messages_); }
  struct Prompt {
    AdaptedChat shown;
    std::vector<TokenId> tokens = {};
  };
  Prompt fitting_prompt(int64_t& left_out);
  int64_t wanted_room() const;
  size_t first_turn() const;
  bool forget_oldest_turn();
  GrammarParams grammar(const AdaptedChat& prompt) const;
  Request engine_request(std::vector<TokenId> prompt, const AdaptedChat& shown) const;
  Result run(Request request, AnswerReader& reader, const ChatHears& hears);
  void add(const Reply& reply);

  const Model& model_;
  Engine& engine_;
  ChatTemplate template_;
  const ReplyFormat& format_;
  ChatOptions options_;
  ReplyTools tools_;
  bool thinks_;
  Json messages_ = Json::array();
  bool answered_ = false;
  uint64_t attempt_ = 0;  // answers to the last message before
};

}  // namespace skald
