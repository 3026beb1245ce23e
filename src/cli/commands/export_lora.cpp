// skald export-lora: a model file with adapters merged into its weights.
#include <fmt/format.h>

#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/lora.h"
#include "cli/flags/threads.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "tools/quantize/export_lora.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct ExportArgs {
  ExportJob job;
  LoraFlags lora;
};

void run(ExportArgs& o) {
  ExportJob& job = o.job;
  if (job.model.empty() || job.out.empty()) throw UsageError("export-lora: want --model (-m) and --output (-o)");
  job.adapters = o.lora.files();
  if (job.adapters.empty()) throw UsageError("export-lora: want --lora or --lora-scaled");
  job.n_threads = allowed_threads("export-lora: --threads (-t)", job.n_threads);
  job.model = find_model(job.model);
  std::vector<std::string> inputs = {job.model};
  for (const LoraFile& file : job.adapters) inputs.push_back(file.path);
  check_usage([&] { check_output(job.out, inputs); });
  ExportReport report;
  const bool done = with_write_progress(
      job.out, [&](const OnProgress& on_progress) { check_usage([&] { report = export_lora(job, on_progress); }); });
  if (!done) return;
  say("{}: {} of {} tensors changed, {}\n", job.out, report.changed, report.tensors, size_text(report.bytes));
}

Action declare_export_lora(Flags& flags) {
  auto o = std::make_shared<ExportArgs>();
  flags.add("-m,--model", o->job.model, "GGUF file to read, of a split model any shard", "FILE");
  o->lora.declare_files(flags);
  flags.add("-o,--output", o->job.out, "GGUF file to write", "FILE");
  flags.add("--type,--outtype", o->job.type, "type of the tensors that change (f16, q8_0, q6_k, ...); default: their own",
            "TYPE");
  flags.add("-t,--threads", o->job.n_threads, "threads; 0: one per usable CPU");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_export_lora;
const Command command_export_lora{
    .name = "export-lora",
    .summary = "Write a model file with adapters (LoRA) merged into its weights",
    .examples =
        "  skald export-lora -m model.gguf --lora adapter.gguf -o merged.gguf\n"
        "  skald export-lora -m model.gguf --lora-scaled adapter.gguf:0.5 -o merged.gguf --type q8_0\n",
    .declare = declare_export_lora};

}  // namespace skald
