#include "cli/flags/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "cli/flags/common.h"
#include "cli/flags/escapes.h"
#include "text/chat/chat_json.h"
#include "text/chat/chat_request.h"
#include "text/chat/thinking.h"
#include "tools/chat/tool_choice.h"

namespace skald {
namespace {

constexpr const char* kTemplateFlags[] = {"--chat-template",    "--chat-template-file",  "--chat-template-kwargs",
                                          "--system-prompt",    "--system-prompt-file",  "--tools",
                                          "--tool-choice",      "--parallel-tool-calls", "--reasoning-format",
                                          "--reasoning-budget", "--reasoning-effort"};

bool is_one_of(std::string_view value, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, value) != words.end();
}

}  // namespace

void ChatFlags::declare(Flags& flags) {
  flags.add("-sys,--system-prompt", system_, "system message");
  flags.add("-sysf,--system-prompt-file", system_file_, "file with the system message", "FILE");
  flags.add("--tools", tools_, "JSON file with the tools that the model may call, as in the chat API", "FILE");
  flags.add("--tool-choice", tool_choice_,
            "auto: text, calls or both; none: no call; required: calls alone; a tool's name: calls of it", "CHOICE");
  flags.offer({"auto", "none", "required"});
  flags.add("--parallel-tool-calls,!--no-parallel-tool-calls", parallel_calls_,
            "an answer may have several calls, the default; without, one at most");
}

void ChatFlags::declare_reasoning(Flags& flags) {
  flags.group("Reasoning");
  flags.add("--reasoning-format", reasoning_format_, "auto, deepseek: thinking apart from the answer; none: all is answer",
            "auto|deepseek|none");
  flags.add("--reasoning-budget", reasoning_budget_, "most tokens of thinking, then it is ended; 0: none, -1: no limit");
  flags.add("--reasoning-effort", reasoning_effort_, "of thinking, for templates that know it", "minimal|low|medium|high");
}

bool ChatFlags::given(const Flags& flags) const {
  return std::ranges::any_of(kTemplateFlags, [&](const char* flag) { return flags.given(flag); });
}

void ChatFlags::check(const std::string& command, const Flags& flags) const {
  chat_template.check(command);
  if (flags.given("-sys") && !system_file_.empty()) throw UsageError(command + ": want one of -sys and -sysf");
  if (reasoning_budget_ < -1) throw UsageError(command + ": --reasoning-budget: want -1 (no limit) or more");
}

nlohmann::ordered_json ChatFlags::kwargs(const std::string& command) const {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  if (!reasoning_effort_.empty()) out["reasoning_effort"] = reasoning_effort_;
  if (!chat_template.kwargs.empty()) {
    const nlohmann::ordered_json said = parse_chat_json(chat_template.kwargs, "--chat-template-kwargs");
    if (!said.is_object()) throw UsageError(command + ": --chat-template-kwargs: want a JSON object");
    out.update(said);
  }
  if (const auto wanted = wanted_thinking(reasoning_budget_, reasoning_effort_))
    ask_for_thinking(out, *wanted, reasoning_budget_);
  return out;
}

void ChatFlags::fill(const std::string& command, const Flags& flags, ChatOptions& options) const {
  if (!options.kwargs.is_object()) options.kwargs = nlohmann::ordered_json::object();
  options.kwargs.update(kwargs(command));
  options.separate_reasoning = reasoning_format_ != "none";
  options.reasoning_budget = reasoning_budget_;
  if (!tools_.empty()) {
    const std::string text = read_text(tools_);
    options.tools = parse_chat_json(text, tools_);
    doing(tools_, [&] { ReplyTools::parse(text); });
  }
  if (flags.given("--parallel-tool-calls")) options.parallel_calls = parallel_calls_;
  if (flags.given("--tool-choice")) fill_tool_choice(command, options);
}

void ChatFlags::fill_tool_choice(const std::string& command, ChatOptions& options) const {
  if (!has_tools(options.tools) && !is_one_of(tool_choice_, {"auto", "none"}))
    throw UsageError(
        fmt::format("{}: --tool-choice {}: there are no tools; --tools names a file of them", command, tool_choice_));
  try {
    set_tool_choice(options, tool_choice_);
  } catch (const Error& e) {
    throw UsageError(fmt::format("{}: --tool-choice: {}", command, e.what()));
  }
}

std::optional<std::string> ChatFlags::system_message(const Flags& flags, bool escape) const {
  if (!system_file_.empty()) return read_text(system_file_);
  if (!flags.given("-sys")) return {};
  return escape ? unescaped(system_) : system_;
}

}  // namespace skald
