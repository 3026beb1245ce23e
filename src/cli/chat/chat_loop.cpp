#include "cli/chat/chat_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/size_text.h"
#include "cli/chat/message_input.h"
#include "cli/chat/sampling_line.h"
#include "cli/flags/common.h"
#include "cli/run/sampling_report.h"
#include "cli/run/verbose_prompt.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "text/chat/replies/white_space.h"
#include "text/text_file.h"
#include "tools/chat/chat_file.h"
#include "tools/chat/file_part.h"
#include "tools/chat/keys_file.h"

namespace skald {

std::span<const ChatLoop::Command> ChatLoop::commands() {
  using L = ChatLoop;
  static constexpr Command kCommands[] = {
      {"/help", "", "this list", &L::help},
      {"/system", "[TEXT]", "set the system message; \"\" removes it, and without a text it is shown", &L::set_system},
      {"/clear", "", "forget all messages but the system message", &L::clear},
      {"/regen", "", "another answer to the last message", &L::regenerate},
      {"/edit", "[TEXT]", "say the last message anew; without a text it stands there to be edited", &L::edit},
      {"/result", "TEXT", "give the result of a tool that the model called", &L::result},
      {"/save", "FILE", "write the messages to a new file, and the keys of their tokens beside it", &L::save},
      {"/save!", "FILE", "the same, over a file that is there", &L::save_over},
      {"/load", "FILE", "go on with the messages of a file, and with its keys where they fit", &L::load},
      {"/read", "FILE", "put a text file in front of the next message", &L::read},
      {"/params", "[NAME VALUE ...]", "show how tokens are chosen, or change it: /params temp 0.5 top-k 20", &L::params},
      {"/tokens", "", "how much of the context the messages take", &L::tokens},
      {"/fold", "", "show of the thinking that there is some, or all of it again", &L::fold},
      {"/thoughts", "", "show the last answer's thinking", &L::thoughts},
      {"/exit", "", "end; Ctrl-D does so too", &L::quit},
  };
  return kCommands;
}

bool ChatLoop::answer() {
  screen_.begin_answer();
  Progress progress("reading the prompt", kInTokens);
  const auto show_prompt = [this](std::span<const TokenId> prompt) {
    if (notes_.prompts) screen_.note(trimmed(prompt_lines(model_, prompt)));
  };
  const ChatHears hears{.begin = show_prompt,
                        .delta = [this](const ReplyDelta& delta) { screen_.show(delta); },
                        .prompt = [&](int64_t done, int64_t total) { progress(done, total); },
                        .stop = stop_wanted};
  try {
    const ChatAnswer answer = session_.answer(hears);
    progress.end();
    screen_.end_answer();
    if (answer.n_left_out)
      screen_.note(fmt::format("the context is full: the oldest {} left out",
                               answer.n_left_out == 1 ? "turn was" : fmt::format("{} turns were", answer.n_left_out)));
    if (notes_.statistics) screen_.statistics(answer, session_.n_ctx());
    return true;
  } catch (const Error& e) {
    progress.end();
    screen_.note(fmt::format("skald: {}", in_flags(e.what())));
    return false;
  }
}

bool ChatLoop::say(const std::string& text) {
  session_.say(std::exchange(attached_, {}) + text);
  if (answer()) return true;
  session_.take_back_message();
  return false;
}

void ChatLoop::talk(LineInput& input) {
  while (!over_) {
    const InputLine message = read_message(
        [&](bool goes_on) { return input.read(screen_.prompt(goes_on), goes_on ? "" : std::exchange(prefill_, {})); });
    forget_interrupt();
    if (message.kind == InputLine::Kind::kEnd) return;
    if (message.kind == InputLine::Kind::kInterrupted || trimmed(message.text).empty()) continue;
    input.remember(message.text);
    try {
      take(message.text);
    } catch (const std::exception& e) {
      screen_.note(fmt::format("skald: {}", e.what()));
    }
    forget_interrupt();
  }
}

// A message that begins with "/" and a letter is a command; "//" begins a message with a slash.
void ChatLoop::take(const std::string& message) {
  if (message.starts_with("//")) {
    say(message.substr(1));
    return;
  }
  if (message.starts_with('/') && message.find('\n') == std::string::npos) return run_command(message);
  say(message);
}

void ChatLoop::run_command(const std::string& line) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, space), argument(trimmed(std::string_view(line).substr(space)));
  for (const Command& command : commands()) {
    if (command.name != name) continue;
    if (command.argument.empty() && !argument.empty()) return screen_.note(fmt::format("{} takes nothing after it", name));
    if (command.argument == "FILE" && argument.empty()) return screen_.note(fmt::format("{}: want a file", name));
    return (this->*command.run)(argument);
  }
  if (name == "/bye" || name == "/quit") return quit("");
  screen_.note(fmt::format("no such command: {}; /help lists them, and // begins a message with a slash", name));
}

Completion ChatLoop::complete(std::string_view line) {
  const size_t space = line.find(' ');
  if (space != std::string_view::npos) {
    const auto command = std::ranges::find(commands(), line.substr(0, space), &Command::name);
    if (command == commands().end() || command->argument != "FILE") return {};
    const size_t from = std::min(line.find_first_not_of(' ', space), line.size());
    return {.from = from, .words = paths_like(line.substr(from))};
  }
  Completion out;
  for (const Command& c : commands())
    if (c.name.starts_with(line)) out.words.push_back(std::string(c.name) + (c.argument.empty() ? "" : " "));
  return out;
}

void ChatLoop::help(const std::string&) {
  constexpr int kColumn = 31;  // where the texts begin
  screen_.note("A line that ends in \\ goes on; \"\"\" opens and closes a block of lines.");
  for (const Command& c : commands())
    screen_.note(fmt::format("  {:{}} {}", fmt::format("{} {}", c.name, c.argument), kColumn - 3, c.help), kColumn);
}

void ChatLoop::set_system(const std::string& text) {
  constexpr std::string_view kNone = "there is no system message";
  if (text.empty()) return screen_.note(session_.system().empty() ? std::string(kNone) : session_.system());
  const bool removes = text == "\"\"";
  session_.set_system(removes ? "" : text);
  screen_.note(removes ? kNone : "the system message is set");
}

void ChatLoop::clear(const std::string&) {
  session_.clear();
  attached_.clear();
  screen_.note("all is forgotten but the system message");
}

void ChatLoop::save(const std::string& path) { save_to(path, /*over=*/false); }

void ChatLoop::save_over(const std::string& path) { save_to(path, /*over=*/true); }

void ChatLoop::save_to(const std::string& path, bool over) {
  save_chat(path, session_.messages(), over);
  screen_.note(fmt::format("{} messages are in {}", session_.messages().size(), path));
  const KeysFile keys(path);
  if (!over && keys.is_there()) return screen_.note(fmt::format("{}: is there already; /save! replaces it", keys.path()));
  try {
    const SlotFile file = session_.save_keys(keys.folder, keys.name);
    if (file.tokens)
      screen_.note(fmt::format("the keys of {} tokens are in {}, {}", file.tokens, keys.path(), size_text(file.bytes)));
  } catch (const Error& e) {
    screen_.note(fmt::format("{}: {}; /load will read the chat anew", keys.path(), e.what()));
  }
}

void ChatLoop::load(const std::string& path) {
  session_.set_messages(load_chat(path));
  screen_.note(fmt::format("{} messages of {}", session_.messages().size(), path));
  const KeysFile keys(path);
  try {
    if (!keys.is_there()) fail(Errc::kNotFound, "there is no such file");
    screen_.note(fmt::format("the keys of {} tokens of {}", session_.load_keys(keys.folder, keys.name), keys.path()));
  } catch (const Error& e) {
    screen_.note(fmt::format("{}: {}; the chat is read anew", keys.path(), e.what()));
  }
}

void ChatLoop::read(const std::string& path) {
  const std::string text = read_text_file(path), with = attached_ + as_part_of_message(path, text);
  const auto before = std::ssize(model_.tokenize(attached_, {.add_special = false, .parse_special = false})),
             n = std::ssize(model_.tokenize(with, {.add_special = false, .parse_special = false}));
  if (n >= session_.n_ctx())
    fail(Errc::kBadInput, "{}: takes {} tokens{}, the context has {}", path, n - before,
         before ? fmt::format(" beside the {} of files before it", before) : "", session_.n_ctx());
  attached_ = with;
  screen_.note(
      fmt::format("{}: {}, {} tokens, in front of the next message", path, size_text(std::ssize(text)), n - before));
}

void ChatLoop::regenerate(const std::string&) {
  if (!session_.take_back_answer()) return screen_.note("there is no message to answer");
  answer();
}

void ChatLoop::edit(const std::string& text) {
  std::optional<std::string> before = session_.take_back_message();
  if (!before) return screen_.note("there is no message to edit");
  if (text.empty())
    prefill_ = as_typed(before->starts_with('/') ? "/" + *before : *before);
  else
    say(text);
}

void ChatLoop::result(const std::string& text) {
  if (!session_.give_result(text)) return screen_.note("no tool was called whose result is missing");
  const std::vector<std::string> open = session_.open_calls();
  if (open.empty())
    answer();
  else
    screen_.note(fmt::format("and the result of {}?", open.front()));
}

void ChatLoop::params(const std::string& text) {
  if (!text.empty()) session_.sampling() = changed_sampling(session_.sampling(), model_, text);
  screen_.note(described_sampling(session_.sampling()));
}

void ChatLoop::tokens(const std::string&) {
  const auto n = static_cast<int64_t>(session_.prompt().size());
  screen_.note(
      fmt::format("{} messages take {} tokens; the context has {}", session_.messages().size(), n, session_.n_ctx()));
}

void ChatLoop::fold(const std::string&) {
  bool& fold = screen_.options().fold;
  fold = !fold;
  screen_.note(fold ? "thinking is folded" : "thinking is shown");
}

void ChatLoop::thoughts(const std::string&) {
  const std::string& thoughts = screen_.last_reasoning();
  screen_.note(thoughts.empty() ? "the last answer came without thinking" : thoughts);
}

}  // namespace skald
