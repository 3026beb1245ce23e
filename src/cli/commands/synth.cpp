// skald synth: a model file of a real shape with random weights.
#include <fmt/format.h>

#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/synth.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "tools/report/output_check.h"
#include "tools/synth/synth.h"

namespace skald {
namespace {

struct SynthArgs {
  SynthFlags synth;
  std::string out;
};

void run(const SynthArgs& o) {
  if (o.synth.spec.shape.empty()) throw UsageError("synth: --shape is required: " + SynthFlags::known_shapes());
  if (o.out.empty()) throw UsageError("synth: -o is required");
  int64_t bytes = 0;
  check_usage([&] { check_output(o.out, {}); });
  const bool done = with_write_progress(o.out, [&](const OnProgress& progress) {
    check_usage([&] { bytes = write_synth_file(o.synth.spec, o.out, progress); });
  });
  if (!done) return;
  say("{}: {} of {} weights\n", o.out, size_text(bytes), o.synth.spec.type);
}

Action declare_synth(Flags& flags) {
  auto o = std::make_shared<SynthArgs>();
  o->synth.declare(flags, "weight type");
  flags.add("-o,--output", o->out, "file to write (required)", "FILE.gguf");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_synth;
const Command command_synth{
    .name = "synth",
    .summary = "Write a model file of a real shape with random weights, which other engines load too",
    .examples =
        "  skald synth --shape llama-3.2-1b --type q8_0 -o f.gguf\n"
        "  skald synth --shape tinyllama --type q4_0 -o f.gguf && skald bench -m f.gguf -p 64 -n 16\n",
    .declare = declare_synth};

}  // namespace skald
