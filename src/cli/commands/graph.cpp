// skald graph: the computational graph of a step, for Graphviz.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/table_flags.h"
#include "cli/terminal/tell.h"
#include "tools/report/graph_file.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct GraphArgs {
  ModelFlags model;
  EngineOptions engine;  // its device
  int64_t batch = 1;
  std::string out;
};

void run(const GraphArgs& o) {
  if (o.batch < 1 || o.batch > 65536) throw UsageError("graph: --batch: want 1 to 65536");
  check_usage([&] { check_output(o.out, {o.model.file()}); });
  DeviceOptions device = o.engine.device;
  follow_device(device);
  const Model model = o.model.load();
  const GraphSummary graph = write_graph(*model.loaded(), o.batch, device, o.out);
  say("{} nodes; activations need {:.2f} MiB at their peak, {:.2f} MiB without sharing\n", graph.n_nodes,
      static_cast<double>(graph.arena_bytes) / (1 << 20), static_cast<double>(graph.total_bytes) / (1 << 20));
}

Action declare_graph(Flags& flags) {
  auto o = std::make_shared<GraphArgs>();
  o->model.declare(flags);
  flags.add("--batch", o->batch, "tokens of the step");
  flags.add("-o,--output", o->out, "file to write (required)", "FILE.dot");
  flags.group("Devices");
  add_options(flags, OptionGroup::kDevice, o->engine);
  return [o] {
    if (o->out.empty()) throw UsageError("graph: -o is required");
    run(*o);
  };
}

}  // namespace

extern const Command command_graph;
const Command command_graph{.name = "graph",
                            .summary = "Write the computational graph as a Graphviz file",
                            .examples =
                                "  skald graph -o graph.dot && dot -Tsvg graph.dot -o graph.svg\n"
                                "  skald graph -m model.gguf --batch 512 -o graph.dot\n"
                                "  skald graph -m model.gguf -dev simt -ngl 20 -o graph.dot\n",
                            .declare = declare_graph};

}  // namespace skald
