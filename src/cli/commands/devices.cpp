// skald devices: what models can run on here.
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "tools/report/devices.h"

namespace skald {
namespace {

void run(const ReportFlags& report) {
  report.check("devices");
  report.print({.md = [] { return devices_report().markdown(); },
                .json = devices_json,
                .csv = [] { return devices_report().csv(); }});
}

Action declare_devices(Flags& flags) {
  auto report = std::make_shared<ReportFlags>();
  report->declare(flags);
  return [report] { run(*report); };
}

}  // namespace

extern const Command command_devices;
const Command command_devices{.name = "devices",
                              .summary = "Show the devices that models can run on, as --device takes them",
                              .examples =
                                  "  skald devices\n"
                                  "  skald run --device simt -p \"Once upon a time\" -n 8\n",
                              .declare = declare_devices};

}  // namespace skald
