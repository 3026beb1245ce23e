// skald rm: removes models and adapters that skald pull or -hf got.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/terminal/confirm.h"
#include "cli/terminal/tell.h"
#include "hub/remove.h"

namespace skald {
namespace {

struct RmArgs {
  std::string name;
  bool yes = false;
};

std::string text_of(const InstalledModel& m) {
  return fmt::format("{} at {}, {}", m.name.text(), m.commit.substr(0, 7), size_text(m.model.bytes()));
}

void run(const RmArgs& o) {
  const HubCache cache(check_usage([] { return hub_settings(); }).cache);
  const Removal removal = plan_removal(cache, o.name);
  for (const InstalledModel& m : removal.left) tell(fmt::format("{}: another program got it, so that it stays", text_of(m)));
  if (removal.models.empty())
    fail(Errc::kNotFound, "{}: Skald got none of it; 'hf cache' of huggingface_hub removes what other programs got", o.name);
  std::string question = "skald: remove ";
  for (const InstalledModel& m : removal.models) question += text_of(m) + "\n";
  question += fmt::format("which frees {}?", size_text(removal.bytes));
  if (!o.yes && !confirmed(question)) fail(Errc::kBadInput, "{}: nothing was removed; --yes removes without asking", o.name);
  remove(cache, removal);
  for (const InstalledModel& m : removal.models) tell(fmt::format("removed {}", text_of(m)));
}

Action declare_rm(Flags& flags) {
  auto o = std::make_shared<RmArgs>();
  flags.add_required("name", o->name,
                     "as skald list shows it: USER/REPO for all of a repository, or with :TAG or /PATH.gguf",
                     "USER/REPO[:TAG]");
  flags.add("-y,--yes", o->yes, "do not ask");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_rm;
const Command command_rm{.name = "rm",
                         .summary = "Remove models and adapters that were got from the hub",
                         .examples =
                             "  skald rm bartowski/Llama-3.2-1B-Instruct-GGUF:Q8_0\n"
                             "  skald rm Llama-3.2-1B-Instruct-GGUF --yes\n",
                         .declare = declare_rm};

}  // namespace skald
