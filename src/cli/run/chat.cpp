#include "cli/run/chat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "cli/chat/chat_screen.h"
#include "cli/run/fit.h"
#include "cli/run/report.h"
#include "cli/run/verbose_prompt.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "loading/loaded_model.h"
#include "text/chat/chat_json.h"
#include "text/chat/chat_request.h"
#include "text/chat/thinking.h"
#include "tools/chat/reply_json.h"
#include "tools/chat/tool_choice.h"

namespace skald {
namespace {

using Json = nlohmann::ordered_json;

// Rejects the flags for which a chat has no use.
void refuse_others(const RunOptions& o, const Flags& flags) {
  std::vector<std::string> wrong;
  for (const char* flag : {"--prompt-ids", "--keep", "--print-ids", "--parse-special", "--static", "--beams"})
    if (flags.given(flag)) wrong.emplace_back(flag);
  if (o.compute.options.schedule.context_shift) wrong.emplace_back("--context-shift");
  if (flags.given("--display-prompt") && o.display_prompt) wrong.emplace_back("--display-prompt");
  if (!wrong.empty()) throw UsageError(fmt::format("run: {}: not with messages of a chat", fmt::join(wrong, ", ")));
}

void check(const RunOptions& o, const Flags& flags) {
  o.chat.check("run", flags);
  refuse_others(o, flags);
  if (flags.given("-p") + !o.prompt.file.empty() + !o.messages.empty() != 1)
    throw UsageError("run: want exactly one of -p, -f and --messages");
  if (o.n_predict < -1) throw UsageError("run: -n: want -1 (no limit) or more");
}

/// The content of --messages: the chat, and a request's other fields.
struct RequestFile {
  ChatRequest chat;
  std::optional<bool> continues = {};
  Json rest = Json::object();
};

// The request's field for an answer that its messages end with.
std::optional<bool> continues(const Json& request) {
  if (request.is_object() && request.contains("continue_final_message") && request["continue_final_message"].is_boolean())
    return request["continue_final_message"].get<bool>();
  if (request.is_object() && request.value("add_generation_prompt", Json()) == true) return false;
  return {};
}

RequestFile read_messages(const RunOptions& o) {
  RequestFile file;
  if (!o.messages.empty()) {
    const std::string name = o.messages == "-" ? "standard input" : o.messages;
    Json request = parse_chat_json(read_text(o.messages), name);
    file.continues = continues(request);
    file.chat = read_chat_request(std::move(request), name, &file.rest);
    if (file.chat.add_generation_prompt || file.chat.continue_final_message) return file;
    fail(Errc::kBadInput, "{}: add_generation_prompt: run writes an answer", name);
  }
  file.chat.messages = Json::array({{{"role", "user"}, {"content", o.prompt.said()}}});
  return file;
}

void follow_effort(const Json& effort, ChatOptions& chat) {
  if (!effort.is_string()) fail(Errc::kBadInput, "reasoning_effort: want a string");
  chat.kwargs["reasoning_effort"] = effort;
  if (const auto wanted = wanted_thinking(-1, effort.get<std::string>())) ask_for_thinking(chat.kwargs, *wanted, -1);
}

// Takes the request's other fields; flags win.
void follow_request(RequestFile& file, const RunOptions& o, ChatOptions& chat) {
  const auto take = [&](const char* key) {
    Json value = file.rest.contains(key) ? std::move(file.rest[key]) : Json();
    file.rest.erase(key);
    return value;
  };
  const Json choice = take("tool_choice"), parallel = take("parallel_tool_calls"), form = take("response_format"),
             effort = take("reasoning_effort");
  doing(o.messages, [&] {
    if (!choice.is_null()) set_tool_choice(chat, choice);
    if (!parallel.is_null() && !parallel.is_boolean()) fail(Errc::kBadInput, "parallel_tool_calls: want true or false");
    if (parallel.is_boolean()) chat.parallel_calls = parallel.get<bool>();
    if (!effort.is_null()) follow_effort(effort, chat);
    if (!form.is_null() && chat.grammar.kind == GrammarParams::Kind::kNone) {
      const JsonWhitespace whitespace = chat.grammar.whitespace;
      chat.grammar = response_grammar(form);
      chat.grammar.whitespace = whitespace;
    }
  });
  std::vector<std::string> others;
  for (const auto& [key, value] : file.rest.items()) others.push_back(key);
  if (!others.empty())
    log(LogLevel::kWarn, "{}: not followed, flags say such things: {}", o.messages, fmt::join(others, ", "));
}

ChatOptions chat_options(const RunOptions& o, const Flags& flags, RequestFile& file, const Model& model) {
  ChatOptions chat{.tools = std::move(file.chat.tools),
                   .documents = std::move(file.chat.documents),
                   .kwargs = std::move(file.chat.kwargs),
                   .sampling = o.sampling.with(model),
                   .max_tokens = o.n_predict,
                   .grammar = o.grammar.read("run"),
                   .stop = o.stop.checked(o.prompt.escape),
                   .ignore_eos = o.ignore_eos,
                   .forgets_turns = false,
                   .continues = file.continues};
  if (!chat.kwargs.is_object()) chat.kwargs = Json::object();
  if (!chat.tools.is_null()) doing(o.messages, [&] { ReplyTools::parse(chat.tools.dump()); });
  ChatOptions flagged = chat;  // tools of a flag are those that a choice is about
  o.chat.fill("run", flags, flagged);
  chat.tools = flagged.tools;
  follow_request(file, o, chat);
  o.chat.fill("run", flags, chat);
  return chat;
}

ChatAnswer answer(const RunOptions& o, const Model& model, ChatSession& session) {
  const bool terminal = isatty(STDOUT_FILENO) != 0, json = o.output == "json";
  ChatScreen screen({.terminal = terminal, .colors = false, .fold = false, .reasoning = terminal});
  screen.begin_answer();
  Progress reading("reading the prompt", kInTokens);
  ChatHears hears{
      .begin = {}, .delta = {}, .prompt = [&](int64_t done, int64_t total) { reading(done, total); }, .stop = stop_wanted};
  if (o.verbose_prompt)
    hears.begin = [&](std::span<const TokenId> prompt) {
      say("{}{}", prompt_lines(model, prompt), sampling_lines(o.sampling, model, session.sampling()));
    };
  if (!json) hears.delta = [&](const ReplyDelta& delta) { screen.show(delta); };
  ChatAnswer out = session.answer(hears);
  if (json)
    std::fputs(reply_json(out.reply).c_str(), stdout);
  else
    screen.end_answer();
  std::fflush(stdout);
  return out;
}

}  // namespace

bool asks_for_chat(const RunOptions& o, const Flags& flags) {
  return o.chat.given(flags) || !o.messages.empty() || (flags.given("-o") && o.prompt_ids.empty() && !o.beams.on());
}

void run_chat(const RunOptions& o, const Flags& flags) {
  check(o, flags);
  EngineOptions options = engine_options(o, flags);
  o.sampling.checked();
  RequestFile file = read_messages(o);
  const Model model = o.model.load_writer();
  const ChatOptions chat = chat_options(o, flags, file, model);
  const Tokenizer& tokenizer = model.loaded()->tokenizer();
  ChatTemplate chat_template(o.chat.chat_template.source(&model.loaded()->meta(), has_tools(chat.tools)),
                             special_texts(tokenizer));
  Json messages = std::move(file.chat.messages);
  if (const auto system = o.chat.system_message(flags, o.prompt.escape))
    messages = with_system(std::move(messages), *system);
  const bool asked = options.cache.n_ctx != 0;
  const auto n_prompt = std::ssize(prompt_tokens(tokenizer, rendered_chat(chat_template, chat, messages).text));
  options.cache.n_ctx = context_for(options, n_prompt, o.n_predict, model);
  fit_context(options, model, asked);
  Engine engine(model, options);
  ChatSession session(model, engine, std::move(chat_template), chat);
  session.set_messages(std::move(messages));
  catch_interrupts();
  const ChatAnswer said = answer(o, model, session);
  print_run_report(said.result, model, engine, {.perf = o.perf, .kv = o.kv_report});
}

}  // namespace skald
