// The skald program: picks the subcommand, turns errors into messages and exit codes (0 done, 1 error, 2 wrong usage).
#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/command_words.h"
#include "cli/field_flags.h"
#include "cli/interrupt.h"
#include "cli/process.h"
#include "skald/error.h"
#include "skald/version.h"

namespace {

constexpr int kError = 1, kWrongUsage = 2;

// Messages name what files hold.
int complain(const char* message, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "skald: %s\n", skald::terminal_text(message, /*lines=*/true).c_str());
  return code;
}

// The parser of a command's flags. "bench kv" belongs to "bench", which the sorted list has before it.
CLI::App& add_parser(CLI::App& app, const skald::Command& command) {
  const std::string name(command.name), summary(command.summary);
  const size_t space = name.find(' ');
  CLI::App* const sub = space == std::string::npos
                            ? app.add_subcommand(name, summary)
                            : app.get_subcommand(name.substr(0, space))->add_subcommand(name.substr(space + 1), summary);
  sub->footer("Examples:\n" + std::string(command.examples));
  return *sub;
}

// "bench -p 8 kv": the flag would be ignored.
void refuse_flags_before(const CLI::App& sub, const CLI::App& parent) {
  for (const CLI::Option* option : parent.get_options())
    if (option->count() > 0)
      throw skald::UsageError(parent.get_name() + ": " + option->get_name() + " does not go with " + sub.get_name());
}

skald::CommandParser add_command(CLI::App& app, const skald::Command& command, skald::Action& action) {
  CLI::App& parser = add_parser(app, command);
  skald::Flags flags(parser);
  parser.final_callback([&action, &parser, chosen = command.declare(flags)] {
    const std::vector<CLI::App*> subs = parser.get_subcommands();
    if (!subs.empty()) return refuse_flags_before(*subs.front(), parser);
    action = chosen;
  });
  return {&command, &parser, flags};
}

// Of the tiers, those in brackets are not this machine's.
std::string version_text() {
  const skald::BuildInfo info = skald::build_info();
  std::string tiers;
  for (const std::string& tier : info.tiers) {
    const bool usable = std::ranges::count(info.usable_tiers, tier) > 0;
    tiers += usable ? " " + tier : " (" + tier + ")";
  }
  return "skald " + info.version + "\ncommit " + info.commit + "\ncompiler " + info.compiler + "\ntiers" + tiers;
}

void describe(CLI::App& app) {
  app.name("skald");
  app.set_help_flag("--help", "print this help and exit");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text);
  app.footer(
      "Try 'skald COMMAND --help' for the flags and examples of a command.\n\n"
      "Environment: every flag has a twin, as SKALD_CTX_SIZE for --ctx-size, and llama.cpp's LLAMA_ARG_CTX_SIZE is read "
      "too;\n"
      "the command line goes before both. SKALD_ISA caps the instruction set (scalar, avx2, avxvnni, avx512, avx512vnni,\n"
      "avx512bf16, amx); SKALD_LOG sets the log level (error, warn, info, debug).\n"
      "Exit codes: 0 done, 1 error, 2 wrong usage, 130 interrupted.");
}

// What somebody who types "skald" alone is to know.
int welcome() {
  fmt::print(
      "Skald runs language models on this machine.\n\n"
      "  skald pull USER/REPO               get a model from the Hugging Face hub; skald list shows what is there\n"
      "  skald chat -m model.gguf           talk to a model\n"
      "  skald run -p \"Once upon a time\"    continue a text, by the built-in story model\n"
      "  skald serve -m model.gguf          answer over HTTP, with a web page\n"
      "  skald bench -m model.gguf          how fast it is here\n\n"
      "skald --help lists all commands, skald COMMAND --help the flags of one.\n");
  return 0;
}

// Parses, and gives an exit code where there is nothing left to do.
std::optional<int> parse(CLI::App& app, std::vector<std::string> words) {
  const std::string command = words.front();
  skald::log(skald::LogLevel::kDebug, "words: {}", fmt::join(words, " "));
  std::ranges::reverse(words);  // the parser takes them from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) return complain((command + ": " + e.what()).c_str(), kWrongUsage);
    app.exit(e);  // --help or --version
  }
  return std::nullopt;
}

int run(int argc, char** argv) {
  CLI::App app("Skald runs language models, with contexts so long that the KV cache is what matters.");
  describe(app);
  skald::Action action;
  std::vector<skald::CommandParser> parsers;
  for (const skald::Command* command : skald::commands()) parsers.push_back(add_command(app, *command, action));
  const std::span<char* const> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() && isatty(STDOUT_FILENO)) return welcome();
  if (arguments.empty()) return complain(("want a command\n\n" + app.help()).c_str(), kWrongUsage);
  if (const auto code = parse(app, skald::command_words(parsers, arguments))) return *code;
  if (action) action();
  if (std::fflush(stdout) || std::ferror(stdout)) return complain("cannot write to standard output", kError);
  return skald::interrupted() ? skald::kInterruptedExit : 0;
}

}  // namespace

int main(int argc, char** argv) {
  skald::prepare_process();
  try {
    return run(argc, argv);
  } catch (const skald::Interrupted&) {
    return skald::kInterruptedExit;
  } catch (const skald::UsageError& e) {
    return complain(e.what(), kWrongUsage);
  } catch (const skald::Error& e) {
    return complain(skald::in_flags(e.what()).c_str(), kError);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kError);
  } catch (const std::exception& e) {
    return complain(e.what(), kError);
  }
}
