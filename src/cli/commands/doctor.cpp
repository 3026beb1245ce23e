// skald doctor: this machine, the choices that Skald makes for it, and how to make it faster.
#include <cstdio>
#include <memory>

#include "base/terminal_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/store.h"
#include "hub/settings.h"
#include "loading/loaded_model.h"
#include "tools/doctor/doctor_report.h"
#include "tools/doctor/examine.h"

namespace skald {
namespace {

constexpr int64_t kUsualStore = int64_t{4} << 30;  // the default of --prefix-cache-size

struct DoctorArgs {
  ModelFlags model;
  std::string prompt_folder;
  StoreFlags store;
  RooflineFlags roofline{.seconds = 1};
  bool json = false;
};

void run(const DoctorArgs& o) {
  const ExamineOptions options{.model_folder = check_usage([] { return hub_settings(); }).cache,
                               .prompt_folder = o.prompt_folder,
                               .store = {.url = o.store.url,
                                         .password = o.store.password("doctor"),
                                         .most_bytes = kUsualStore,
                                         .environment = process_environment},
                               .measured_seconds = o.roofline.checked()};
  Diagnosis d{.facts = check_usage([&] { return examine(options); })};
  if (o.model.given()) {
    const Model model = o.model.load_writer();
    d.choice = choose(d.facts, model.loaded().get());
  } else {
    d.choice = choose(d.facts, nullptr);
  }
  d.advice = advise(d.facts, d.choice);
  std::fputs((o.json ? doctor_json(d) : terminal_text(doctor_text(d), /*lines=*/true)).c_str(), stdout);
}

Action declare_doctor(Flags& flags) {
  auto o = std::make_shared<DoctorArgs>();
  o->model.declare(flags);
  flags.group("Report");
  flags.add("--prefix-cache-dir", o->prompt_folder, "look at this folder too, which skald serve is to keep prompts in",
            "DIR");
  o->store.declare(flags, "ask this server too, which skald serve is to keep prompts on");
  o->roofline.declare(flags);
  flags.add("--json", o->json, "as JSON");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_doctor;
const Command command_doctor{.name = "doctor",
                             .summary = "Show this machine, the models that fit, and how to make it faster",
                             .examples =
                                 "  skald doctor\n"
                                 "  skald doctor -m model.gguf\n"
                                 "  skald doctor --json | jq -r '.advice[].remedy'\n",
                             .declare = declare_doctor};

}  // namespace skald
