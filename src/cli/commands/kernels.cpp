// skald kernels: the functions of this machine's kernel table.
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "tools/report/kernels.h"

namespace skald {
namespace {

struct KernelsArgs {
  std::string word;
  ReportFlags report;
};

void run(const KernelsArgs& o) {
  o.report.check("kernels");
  Table table;
  check_usage([&] { table = kernels_report(o.word); });
  o.report.print({.md = [&] { return table.markdown(); },
                  .json = [&] { return kernels_json(table); },
                  .csv = [&] { return table.csv(); }});
}

Action declare_kernels(Flags& flags) {
  auto o = std::make_shared<KernelsArgs>();
  flags.add("word", o->word, "only entries with this in their name, tier, function or file: a format, say", "WORD");
  o->report.declare(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_kernels;
const Command command_kernels{.name = "kernels",
                              .summary = "Show which function each kernel is on this machine, and its file",
                              .examples =
                                  "  skald kernels q4_0\n"
                                  "  skald kernels scores.inl\n"
                                  "  SKALD_ISA=scalar skald kernels -o json\n",
                              .declare = declare_kernels};

}  // namespace skald
