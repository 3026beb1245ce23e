// skald man: the reference of the command line as a page.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/manual/pages.h"

namespace skald {
namespace {

struct ManArgs {
  std::string format = "roff";
};

void run(const ManArgs& o) {
  const CommandLine line;
  const std::vector<CommandText> commands = command_texts(line.parsers());
  std::fputs((o.format == "md" ? manual_markdown(commands) : manual_roff(commands)).c_str(), stdout);
}

Action declare_man(Flags& flags) {
  auto o = std::make_shared<ManArgs>();
  flags.add("-o,--output", o->format, "roff: for man; md: in Markdown", "roff|md");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_man;
const Command command_man{.name = "man",
                          .summary = "Print the manual page",
                          .examples =
                              "  skald man | man -l -\n"
                              "  skald man -o md > cli.md\n",
                          .declare = declare_man};

}  // namespace skald
