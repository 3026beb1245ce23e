// skald inspect: the content of a model file, and the architectures.
#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "tools/report/architectures.h"
#include "tools/report/inspect.h"

namespace skald {
namespace {

struct InspectArgs {
  std::string path;
  bool json = false, architectures = false;
};

void run(const InspectArgs& o) {
  if (o.path.empty() != o.architectures) throw UsageError("inspect: want either a model or --architectures");
  if (o.json && o.architectures) throw UsageError("inspect: --json is for a model");
  const std::string out = o.architectures ? architectures().markdown() : inspect_file(o.path, o.json);
  std::fputs(out.c_str(), stdout);
}

Action declare_inspect(Flags& flags) {
  auto o = std::make_shared<InspectArgs>();
  flags.add("model", o->path, "GGUF file, or Hugging Face folder as the file that it would become", "FILE");
  flags.add("--json", o->json, "as JSON");
  flags.add("--architectures", o->architectures,
            "list the values of general.architecture that Skald runs, instead of a file");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_inspect;
const Command command_inspect{.name = "inspect",
                              .summary = "Show the metadata and tensors of a model file",
                              .examples =
                                  "  skald inspect model.gguf\n"
                                  "  skald inspect model.gguf --json | jq .metadata\n"
                                  "  skald inspect --architectures\n",
                              .declare = declare_inspect};

}  // namespace skald
