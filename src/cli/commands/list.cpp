// skald list: the models and adapters that were got from the hub.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "hub/settings.h"
#include "tools/report/model_list.h"

namespace skald {
namespace {

struct ListArgs {
  std::string format = "table";
};

void print_names(const std::vector<InstalledModel>& models) {
  for (const InstalledModel& m : models) fmt::print("{}\n", terminal_text(m.name.text()));
}

void run(const ListArgs& o) {
  const auto models = installed_models(HubCache(check_usage([] { return hub_settings(); }).cache));
  if (o.format == "names") return print_names(models);
  const std::string out = o.format == "json" ? model_list_json(models) : model_list_table(models);
  std::fputs(o.format == "json" ? out.c_str() : terminal_text(out, /*lines=*/true).c_str(), stdout);
}

Action declare_list(Flags& flags) {
  auto o = std::make_shared<ListArgs>();
  flags.add("-o,--output", o->format, "names: one a line, for scripts", "table|json|names");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_list;
const Command command_list{.name = "list",
                           .summary = "List the models and adapters that were got from the hub",
                           .examples =
                               "  skald list\n"
                               "  skald list -o json | jq '.[].name'\n",
                           .declare = declare_list};

}  // namespace skald
