// skald completions: a script that lets a shell complete Skald's command line.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/manual/completions.h"

namespace skald {
namespace {

struct CompletionsArgs {
  std::string shell;
};

void run(const CompletionsArgs& o) {
  const CommandLine line;
  const std::vector<CommandText> commands = command_texts(line.parsers());
  const std::string script = o.shell == "bash"  ? bash_completions(commands)
                             : o.shell == "zsh" ? zsh_completions(commands)
                                                : fish_completions(commands);
  std::fputs(script.c_str(), stdout);
}

Action declare_completions(Flags& flags) {
  auto o = std::make_shared<CompletionsArgs>();
  flags.add_required("shell", o->shell, "the shell", "bash|zsh|fish");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_completions;
const Command command_completions{.name = "completions",
                                  .summary = "Print a script that lets a shell complete commands, flags and names of models",
                                  .examples =
                                      "  source <(skald completions bash)\n"
                                      "  skald completions zsh > _skald\n"
                                      "  skald completions fish > skald.fish\n",
                                  .declare = declare_completions};

}  // namespace skald
