// The skald program: runs the command that its arguments name, turns errors into messages and exit codes (0 done, 1 error,
// 2 wrong usage).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>

#include "base/terminal_text.h"
#include "cli/command_line.h"
#include "cli/flags/fields.h"
#include "cli/process.h"
#include "cli/terminal/interrupt.h"
#include "skald/error.h"

namespace {

constexpr int kError = 1, kWrongUsage = 2;

// Messages may have texts of files.
int complain(const char* message, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "skald: %s\n", skald::terminal_text(message, /*lines=*/true).c_str());
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
  skald::CommandLine line;
  const std::span<char* const> arguments(argv + std::min(argc, 1), argv + argc);
  if (arguments.empty() && isatty(STDOUT_FILENO)) return welcome();
  if (arguments.empty()) return complain(("want a command\n\n" + line.help()).c_str(), kWrongUsage);
  if (const skald::Action action = line.parse(arguments)) action();
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
