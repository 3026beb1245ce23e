// skald imatrix: an importance matrix for quantising a model, from a text.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/flags/text.h"
#include "cli/terminal/tell.h"
#include "loading/loaded_model.h"
#include "tools/measure/imatrix.h"
#include "tools/measure/imatrix_statistics.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct ImatrixArgs {
  ModelFlags model;
  TextFlags text;
  ComputeFlags compute;
  std::string out = "imatrix.gguf", format = "gguf";
  std::vector<std::string> in_files;
  bool process_output = false, statistics = false;
};

ImatrixFormat format_of(const ImatrixArgs& o) { return o.format == "dat" ? ImatrixFormat::kDat : ImatrixFormat::kGguf; }

void show_statistics(const ImatrixArgs& o) {
  if (o.in_files.size() != 1) throw UsageError("imatrix: --show-statistics wants one --in-file");
  fmt::print("{}", statistics_markdown(statistics_of(read_imatrix(o.in_files[0]))));
}

void add_files(const ImatrixArgs& o, Imatrix& imatrix) {
  for (const std::string& path : o.in_files) {
    const Imatrix more = read_imatrix(path);
    doing(path, [&] { merge(imatrix, more); });
  }
}

void combine(const ImatrixArgs& o) {
  if (o.in_files.empty()) throw UsageError("imatrix: want a text (-f FILE) or matrices to combine (--in-file FILE)");
  Imatrix imatrix;
  imatrix.chunk_size = o.text.chunks.n_ctx;
  add_files(o, imatrix);
  write_imatrix(imatrix, o.out, format_of(o));
}

void collect(const ImatrixArgs& o) {
  const EngineOptions compute = o.compute.checked(o.model);
  const Model model = o.model.load();
  const TokenChunks text = o.text.read(model);
  CollectedImatrix made;
  const bool done = with_window_progress([&](const OnWindow& on_window) {
    made = collect_imatrix(*model.loaded(), compute, text,
                           {.output = o.process_output, .dataset = o.text.path(), .on_window = on_window});
  });
  if (!done) return;
  add_files(o, made.imatrix);
  write_imatrix(made.imatrix, o.out, format_of(o));
  say("{}: {} weights, {} windows of {} tokens, PPL = {:.4f} +/- {:.5f}\n", o.out, made.imatrix.entries.size(),
      made.perplexity.chunks, text.n_ctx, made.perplexity.perplexity(), made.perplexity.error());
}

void run(const ImatrixArgs& o) {
  const bool text = o.text.checked("imatrix");
  if (o.statistics) return show_statistics(o);
  std::vector<std::string> inputs = o.in_files;
  inputs.insert(inputs.end(), {o.model.file(), o.text.file, o.text.ids_file});
  check_usage([&] { check_output(o.out, inputs); });
  text ? collect(o) : combine(o);
}

Action declare_imatrix(Flags& flags) {
  auto o = std::make_shared<ImatrixArgs>();
  o->model.declare(flags);
  o->text.declare(flags);
  flags.add("-o,--output,--output-file", o->out, "file to write", "FILE");
  flags.add("--output-format", o->format, "dat: the format that llama.cpp wrote before 2025 and ik_llama.cpp reads",
            "gguf|dat");
  flags.add("--in-file", o->in_files, "add the sums of this file; may be given several times, and without a text", "FILE");
  flags.add("--process-output", o->process_output, "collect for output.weight too");
  flags.add("--show-statistics", o->statistics, "describe the matrix of --in-file instead of making one");
  o->compute.declare(flags);
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_imatrix;
const Command command_imatrix{.name = "imatrix",
                              .summary = "Measure which columns of a model's weights matter on a text, for quantising",
                              .examples =
                                  "  skald imatrix -m model-f16.gguf -f calibration.txt -o imatrix.gguf\n"
                                  "  skald imatrix -m model-f16.gguf -f more.txt --in-file imatrix.gguf -o both.gguf\n"
                                  "  skald imatrix --in-file imatrix.gguf --show-statistics\n",
                              .declare = declare_imatrix};

}  // namespace skald
