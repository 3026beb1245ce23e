// skald bench: prefill and decode rates, beside the machine's peaks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/drafts.h"
#include "cli/flags/ranks.h"
#include "cli/flags/sparq.h"
#include "cli/flags/synth.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "text/text_file.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_spec.h"
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
  std::string text;  // a file, for guesses
  float right = -1;  // of guesses that are made for the measurement
  bool warmup = true;

  bool guesses() const { return bench.compute.draft.on() || right >= 0; }
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

// Tokens that every kind of guess meets as they are: of the file, or of none for guesses that are made.
SpecBenchOptions spec_options(const BenchArgs& o, const Model& model) {
  SpecBenchOptions out{
      .decode = o.bench.decode, .repetitions = o.bench.repetitions, .right = o.right, .compute = o.bench.compute};
  if (!o.text.empty()) out.text = model.tokenize(read_text_file(o.text));
  for (const int64_t depth : o.bench.depths)
    out.depths.push_back(depth ? depth : std::max<int64_t>(1, std::ssize(out.text)));
  std::erase(out.decode, 0);
  return out;
}

void check_guesses(const BenchArgs& o, const Flags& flags) {
  const auto refuse = [](const char* why) { throw UsageError(std::string("bench: ") + why); };
  if (o.right >= 0 && o.bench.compute.draft.on()) refuse("want one of --spec and --spec-synth");
  if (o.right > 1) refuse("--spec-synth: want a probability, 0 to 1");
  if (!o.guesses() && !o.text.empty()) refuse("-f goes with --spec");
  if (!o.guesses()) return;
  if (o.right < 0 && o.text.empty()) refuse("--spec wants a text to go on with (-f), or use --spec-synth");
  if (o.report.format == "svg") refuse("-o svg: there is no plot of guesses; want md, json or csv");
  for (const char* flag : {"-p", "-B"})
    if (flags.given(flag)) tell(fmt::format("{} does nothing with --spec and --spec-synth", flag));
}

void run_spec(const BenchArgs& o) {
  const Model model(load(o));
  const SpecBenchResult result = run_spec_bench(model, spec_options(o, model), show_progress);
  end_progress();
  o.report.print({.md = [&] { return spec_bench_markdown(result); },
                  .json = [&] { return spec_bench_json(result); },
                  .csv = [&] { return spec_bench_csv(result); }});
}

void run(BenchArgs o, const Flags& flags) {
  const bool type_given = flags.given("--type");
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
  if (o.right < 0) check_drafts(flags, o.bench.compute.draft);
  check_guesses(o, flags);
  if (o.guesses()) return run_spec(o);
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
  flags.group("Guesses");
  declare_drafts(flags, o->compute.options.draft);
  flags.add("-f,--file", o->text, "text for --spec: prompts are its first tokens, of -d as many; 0: all", "FILE");
  flags.add("--spec-synth", o->right,
            "guesses that are right with this probability, and cost nothing: they show what checks cost", "P");
  o->compute.declare(flags);
  o->sparq.declare(flags);
  o->model.declare_calibration(flags);
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  flags.add("--lora-each", o->bench.adapter_each, "each sequence of -B has one of the adapters, in turn, instead of all");
  flags.group("Output");
  o->report.declare(flags);
  flags.add("--warmup,!--no-warmup", o->warmup, "compute an untimed step before each test, the default");
  return on_ranks(o->model, o->compute, [o, flags] { run(*o, flags); });
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
                                "  skald bench -p 0 -n 64 -d 512,1024,2048,4096 -o svg > decode.svg\n"
                                "  skald bench --spec-synth 0.8 --draft-max 4 -d 64 -n 32 -r 2\n",
                            .declare = declare_bench};

}  // namespace skald
