// skald pull: gets a model or an adapter from the hub; its path on stdout.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/hub.h"
#include "cli/terminal/confirm.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"

namespace skald {
namespace {

struct PullArgs {
  std::string name, revision = "main";
  bool offline = false, yes = false;
};

// Where the program chose the model, a user at the terminal is asked first.
void ask(const PullArgs& o, const HubName& name, int64_t bytes) {
  const bool named = !name.tag.empty() || !name.file.empty();
  if (bytes == 0 || o.yes || named || !can_ask()) return;
  if (!confirmed(fmt::format("skald: get {}?", size_text(bytes)))) fail(Errc::kNotFound, "{}: nothing was got", name.text());
}

std::string usage_of(const Pulled& pulled) {
  const std::string name = pulled.name.text();
  if (const auto adapter = adapter_facts(pulled.path))
    return fmt::format("{} is there, {}; skald run -m {} --lora {} -p ...", name, description(*adapter), base_word(*adapter),
                       name);
  return fmt::format("{} is there; skald run {} -p ...", name, name);
}

void run(const PullArgs& o) {
  PullOptions options{.name = hub_name(o.name), .revision = o.revision, .offline = o.offline, .wanted = Wanted::kEither};
  check_usage([&] { check_revision(o.revision); });
  options.on_choice = [&](int64_t bytes) { ask(o, options.name, bytes); };
  unless_interrupted([&](const std::function<void()>& check) {
    options.check = check;
    const Pulled pulled = get_model(options);
    tell(usage_of(pulled));
    fmt::print("{}\n", pulled.path);
  });
}

Action declare_pull(Flags& flags) {
  auto o = std::make_shared<PullArgs>();
  flags.add_required("name", o->name, "USER/REPO, USER/REPO:TAG (a type, as Q4_K_M) or USER/REPO/PATH.gguf",
                     "USER/REPO[:TAG]");
  flags.add("--revision", o->revision, "branch, tag or commit of the repository");
  flags.add("--offline", o->offline, "say where it is, without the network");
  flags.add("-y,--yes", o->yes, "on a terminal, do not ask before a model that was chosen for you is got");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_pull;
const Command command_pull{.name = "pull",
                           .summary = "Get a model or an adapter (LoRA) from the Hugging Face hub",
                           .examples =
                               "  skald pull bartowski/Llama-3.2-1B-Instruct-GGUF\n"
                               "  skald pull bartowski/Llama-3.2-1B-Instruct-GGUF:Q8_0\n"
                               "  skald run Llama-3.2-1B-Instruct-GGUF:Q8_0 -p \"Once upon a time\"\n"
                               "  skald pull jeeejeee/llama32-3b-text2sql-spider   # an adapter; it says for which model\n"
                               "  skald inspect $(skald pull bartowski/Llama-3.2-1B-Instruct-GGUF:Q8_0)\n",
                           .declare = declare_pull};

}  // namespace skald
