// skald ps: the models that a running server has loaded.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "tools/report/served_models.h"

namespace skald {
namespace {

struct PsArgs {
  std::string url = "http://127.0.0.1:8080", key_file, format = "table";
};

std::string first_line(const std::string& path) {
  if (path.empty()) return {};
  const std::string text = read_text(path);
  return text.substr(0, text.find_first_of("\r\n"));
}

void run(const PsArgs& o) {
  const std::string answer = served_models(o.url, first_line(o.key_file));
  if (o.format == "json")
    fmt::print("{}\n", answer);
  else
    std::fputs(terminal_text(served_models_table(answer), /*lines=*/true).c_str(), stdout);
}

Action declare_ps(Flags& flags) {
  auto o = std::make_shared<PsArgs>();
  flags.add("--url", o->url, "the server", "URL");
  flags.add("--api-key-file", o->key_file, "file whose first line is the server's key", "FILE");
  flags.add("-o,--output", o->format, "json: the server's answer", "table|json");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_ps;
const Command command_ps{.name = "ps",
                         .summary = "List the models that a running server has loaded",
                         .examples =
                             "  skald ps\n"
                             "  skald ps --url http://127.0.0.1:8080 --api-key-file keys.txt -o json\n",
                         .declare = declare_ps};

}  // namespace skald
