// skald bench: prefill and decode rates, beside the machine's peaks.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/sparq.h"
#include "cli/flags/synth.h"
#include "cli/terminal/progress.h"
#include "tools/bench/bench.h"
#include "tools/synth/synth.h"

namespace skald {
namespace {

struct BenchArgs {
  ModelFlags model;
  ComputeFlags compute;
  SparqFlags sparq;
  RooflineFlags roofline;
  ReportFlags report{.plot = "tokens/s against depth"};
  SynthFlags synth;
  BenchOptions bench;
  bool warmup = true;
};

std::shared_ptr<const LoadedModel> load(const BenchArgs& o) {
  if (o.synth.spec.shape.empty()) return o.model.load().loaded();
  std::shared_ptr<const LoadedModel> model;
  check_usage([&] { model = synth_model(o.synth.spec, o.model.options(), progress_callback("making weights")); });
  return model;
}

void check(const std::vector<int64_t>& values, const char* flag) {
  for (int64_t v : values)
    if (v < 0 || v > (int64_t{1} << 30)) throw UsageError(std::string("bench: ") + flag + ": want 0 or more");
}

// One step holds a token of each sequence.
void check_batches(const BenchOptions& o) {
  for (int64_t batch : o.batches) {
    if (batch < 1) throw UsageError("bench: -B: want 1 or more");
    if (batch > o.compute.schedule.step_rows())
      throw UsageError(fmt::format("bench: -B: {} sequences are more than the {} tokens of a step; see -ub", batch,
                                   o.compute.schedule.step_rows()));
  }
}

void run(BenchArgs o, bool type_given) {
  if (!o.synth.spec.shape.empty() && o.model.given()) throw UsageError("bench: want one of -m and --shape");
  if (o.synth.spec.shape.empty() && type_given)
    throw UsageError("bench: --type goes with --shape; a model file has its own types");
  o.report.check("bench");
  if (o.bench.repetitions < 1) throw UsageError("bench: -r: want 1 or more");
  check(o.bench.prefill, "-p");
  check(o.bench.decode, "-n");
  check(o.bench.depths, "-d");
  o.bench.compute = o.compute.checked(o.model);
  check_batches(o.bench);
  o.bench.compute.cache.sparq = o.sparq.checked(o.compute);
  o.bench.warmup = o.warmup;
  o.bench.roofline_seconds = o.report.draws() ? 0 : o.roofline.checked();
  const std::shared_ptr<const LoadedModel> model = load(o);
  const BenchResult result = run_bench(*model, o.bench, show_progress);
  end_progress();
  o.report.print({.md = [&] { return bench_markdown(result); },
                  .json = [&] { return bench_json(result); },
                  .csv = [&] { return bench_csv(result); },
                  .svg = [&] { return bench_svg(result); }});
}

Action declare_bench(Flags& flags) {
  auto o = std::make_shared<BenchArgs>();
  o->model.declare(flags);
  o->synth.declare(flags, "weight type for --shape");
  flags.group("Tests");
  flags.add("-p,--n-prompt", o->bench.prefill, "tokens to prefill; 0: no such test");
  flags.add("-n,--n-gen", o->bench.decode, "tokens to decode; 0: no such test");
  flags.add("-d,--n-depth", o->bench.depths, "tokens already in the cache, as random keys and values");
  flags.add("-B,--parallel", o->bench.batches, "sequences that decode together, each with its own cache of that depth");
  flags.add("-r,--repetitions", o->bench.repetitions, "times that each test is run");
  o->roofline.declare(flags);
  o->compute.declare(flags);
  o->sparq.declare(flags);
  o->model.declare_calibration(flags);
  o->model.declare_rope(flags);
  flags.group("Output");
  o->report.declare(flags);
  flags.add("--warmup,!--no-warmup", o->warmup, "compute an untimed step before each test, the default");
  return [o, flags] { run(*o, flags.given("--type")); };
}

}  // namespace

extern const Command command_bench;
const Command command_bench{.name = "bench",
                            .summary = "Measure prefill and decode speed, and its share of the machine's limits",
                            .examples =
                                "  skald bench\n"
                                "  skald bench -m model.gguf -p 512 -n 64 -d 0,4096 -t 2 -o json\n"
                                "  skald bench --shape llama-2-7b --type q8_0 -p 512 -n 64\n"
                                "  skald bench --shape llama-3.2-1b -p 0 -n 16 -B 1,2,4,8,16\n"
                                "  skald bench --shape llama-2-7b -p 0 -d 4096,8192,16384 --sparq --sparq-ratio 8\n"
                                "  skald bench -p 0 -n 64 -d 512,1024,2048,4096 -o svg > decode.svg\n",
                            .declare = declare_bench};

}  // namespace skald
