#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/terminal_text.h"
#include "cli/command_line.h"
#include "cli/flags/fields.h"
#include "cli/hidden_passwords.h"
#include "cli/process.h"
#include "cli/terminal/interrupt.h"
#include "skald/error.h"

namespace skald {
namespace {

constexpr int kFailed = 1, kWrongUsage = 2;

// Messages may have texts of files.
int complain(const char* message, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "skald: %s\n", terminal_text(message, /*lines=*/true).c_str());
  return code;
}

// The text for a user who types "skald" alone.
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

int run(int argc, char** argv) {
  CommandLine line;
  const std::span<char* const> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() && isatty(STDOUT_FILENO)) return welcome();
  if (arguments.empty()) return complain(("want a command\n\n" + line.help()).c_str(), kWrongUsage);
  std::vector<std::string> words(arguments.begin(), arguments.end());
  hide_passwords(arguments);
  std::vector<char*> copies;
  for (std::string& word : words) copies.push_back(word.data());
  if (const Action action = line.parse(copies)) action();
  if (std::fflush(stdout) || std::ferror(stdout)) return complain("cannot write to standard output", kFailed);
  return interrupted() ? kInterruptedExit : 0;
}

}  // namespace

int run_program(int argc, char** argv) {
  prepare_process();
  try {
    return run(argc, argv);
  } catch (const Interrupted&) {
    return kInterruptedExit;
  } catch (const UsageError& e) {
    return complain(e.what(), kWrongUsage);
  } catch (const Error& e) {
    return complain(in_flags(e.what()).c_str(), kFailed);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", kFailed);
  } catch (const std::exception& e) {
    return complain(e.what(), kFailed);
  }
}

}  // namespace skald
