// skald inspect: what is in a model file.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "tools/inspect.h"

namespace skald {
namespace {

struct Options {
  std::string path;
  bool json = false;
};

void run(const Options& o) {
  const std::string out = inspect_file(o.path, o.json);
  std::fputs(out.c_str(), stdout);
}

Action declare(Flags& flags) {
  auto o = std::make_shared<Options>();
  flags.add_required("model", o->path, "GGUF file");
  flags.add("--json", o->json, "as JSON");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_inspect;
const Command command_inspect{.name = "inspect",
                              .summary = "Show the metadata and tensors of a model file",
                              .examples = "  skald inspect model.gguf\n  skald inspect model.gguf --json | jq .metadata\n",
                              .declare = declare};

}  // namespace skald
