// skald inspect: what is in a model file.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/command.h"
#include "io/gguf.h"
#include "tools/inspect.h"

namespace skald {
namespace {

struct Options {
  std::string path;
  bool json = false;
};

void run(const Options& o) {
  const Gguf gguf = doing("loading " + o.path, [&] { return Gguf::open(o.path, FileBytes::How::kMap); });
  const std::string out = o.json ? inspect_json(gguf).dump(2) + "\n" : inspect_table(gguf);
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
