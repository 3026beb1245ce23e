#include "cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "skald/version.h"

namespace skald {

const std::string_view kProgramSummary =
    "Skald runs language models, with contexts so long that the KV cache is what matters.";
const std::string_view kEnvironmentText =
    "every flag has a twin, as SKALD_CTX_SIZE for --ctx-size, and llama.cpp's LLAMA_ARG_CTX_SIZE is read too;\n"
    "the command line goes before both. SKALD_ISA caps the instruction set (scalar, avx2, avxvnni, avx512, avx512vnni,\n"
    "avx512bf16, zen5, amx; on Arm scalar, neon, dotprod, sve256, sve512, i8mm). SKALD_LOG sets the log level (error,\n"
    "warn, info, debug).";
const std::string_view kExitCodesText = "0 done, 1 error, 2 wrong usage, 130 interrupted.";

namespace {

// The parser of a command's flags. "bench kv" belongs to "bench", which the sorted list has before it.
CLI::App& add_parser(CLI::App& app, const Command& command) {
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
      throw UsageError(parent.get_name() + ": " + option->get_name() + " does not go with " + sub.get_name());
}

// Of the tiers, those in brackets are not this machine's.
std::string version_text() {
  const BuildInfo info = build_info();
  std::string tiers;
  for (const std::string& tier : info.tiers) {
    const bool usable = std::ranges::count(info.usable_tiers, tier) > 0;
    tiers += usable ? " " + tier : " (" + tier + ")";
  }
  return "skald " + info.version + "\ncommit " + info.commit + "\ncompiler " + info.compiler + "\ntiers" + tiers;
}

}  // namespace

CommandLine::CommandLine() : app_(std::make_unique<CLI::App>(std::string(kProgramSummary))) {
  app_->name("skald");
  app_->set_help_flag("--help", "print this help and exit");
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version_text);
  app_->footer(
      fmt::format("Try 'skald COMMAND --help' for the flags and examples of a command.\n\nEnvironment: {}\nExit codes: {}",
                  kEnvironmentText, kExitCodesText));
  for (const Command* command : commands()) add(*command);
}

CommandLine::~CommandLine() = default;

void CommandLine::add(const Command& command) {
  CLI::App& parser = add_parser(*app_, command);
  Flags flags(parser);
  parser.final_callback([this, &parser, chosen = command.declare(flags)] {
    const std::vector<CLI::App*> subs = parser.get_subcommands();
    if (!subs.empty()) return refuse_flags_before(*subs.front(), parser);
    action_ = chosen;
  });
  parsers_.push_back({&command, &parser, flags});
}

std::string CommandLine::help() const { return app_->help(); }

Action CommandLine::parse(std::span<char* const> arguments) {
  std::vector<std::string> words = command_words(parsers_, arguments);
  const std::string command = words.front();
  log(LogLevel::kDebug, "words: {}", fmt::join(words, " "));
  std::ranges::reverse(words);  // the parser takes them from the back
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) throw UsageError(command + ": " + e.what());
    app_->exit(e);  // --help or --version
  }
  return std::exchange(action_, nullptr);
}

}  // namespace skald
