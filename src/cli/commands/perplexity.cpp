// skald perplexity: how well a model predicts a text, alone or beside a reference model.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/flags/ranks.h"
#include "cli/flags/sparq.h"
#include "cli/flags/text.h"
#include "cli/run/report.h"
#include "loading/loaded_model.h"
#include "tools/measure/divergence.h"
#include "tools/measure/perplexity.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct PerplexityArgs {
  ModelFlags model;
  TextFlags text;
  ComputeFlags compute;
  SparqFlags sparq;
  ReportFlags report;
  int batch = 2048;
  std::string save_reference, reference;
  int64_t last = 0;
  std::string base;         // llama.cpp's name for both,
  bool divergence = false;  // and for which one it is
};

EngineOptions compute_options(const PerplexityArgs& o) {
  if (o.batch < 1) throw UsageError("perplexity: -b: want at least 1");
  EngineOptions out = o.compute.checked(o.model);
  out.schedule.n_batch = o.batch;
  out.cache.sparq = o.sparq.checked(o.compute);
  return out;
}

void take_llama_names(PerplexityArgs& o) {
  if (o.divergence && o.base.empty()) throw UsageError("perplexity: --kl-divergence goes with --kl-divergence-base FILE");
  if (o.base.empty()) return;
  std::string& same = o.divergence ? o.reference : o.save_reference;
  if (!same.empty()) throw UsageError("perplexity: --kl-divergence-base is another name of a flag that is given too");
  same = o.base;
}

void check(const PerplexityArgs& o) {
  o.report.check("perplexity");
  const bool text = o.text.checked("perplexity");
  if (!text && o.reference.empty()) throw UsageError("perplexity: want a text: -f FILE");
  if (!o.reference.empty() && !o.save_reference.empty())
    throw UsageError("perplexity: want one of --kl-reference and --save-reference");
  if (o.last < 0) throw UsageError("perplexity: --kl-last: want at least 0");
  if (o.last && o.reference.empty()) throw UsageError("perplexity: --kl-last goes with --kl-reference");
  if (o.text.chunks.stride && !(o.reference.empty() && o.save_reference.empty()))
    throw UsageError("perplexity: --stride does not go with a reference, whose windows lie end to end");
}

void print_perplexity(const PerplexityArgs& o, const EngineOptions& compute, const Model& model) {
  const TokenChunks text = o.text.read(model);
  PerplexityResult r;
  const bool done = with_window_progress([&](const OnWindow& on_window) {
    r = measure_perplexity(*model.loaded(), compute, text, {.save_reference = o.save_reference, .on_window = on_window});
  });
  if (!done) return;
  print_sparq_use(r.sparq.use);
  tell_if_dense(r.sparq.use, r.sparq.layers);
  o.report.print({.md = [&] { return perplexity_markdown(r); },
                  .json = [&] { return perplexity_json(r); },
                  .csv = [&] { return perplexity_csv(r); }});
}

// The reference says what the windows are; a text that is given too must be the same.
void print_divergence(const PerplexityArgs& o, const EngineOptions& compute, const Model& model, bool windows_given) {
  const ReferenceFile reference(o.reference);
  if (!o.text.path().empty()) {
    TextFlags text = o.text;
    if (!windows_given) text.chunks.n_ctx = reference.n_ctx();
    doing(o.reference, [&] { check_same_text(text.read(model), reference); });
  }
  DivergenceResult r;
  const bool done = with_window_progress([&](const OnWindow& on_window) {
    r = measure_divergence(*model.loaded(), compute, reference, added_bos(*model.loaded()), on_window, o.last);
  });
  if (!done) return;
  print_sparq_use(r.sparq.use);
  tell_if_dense(r.sparq.use, r.sparq.layers);
  o.report.print({.md = [&] { return divergence_markdown(r); },
                  .json = [&] { return divergence_json(r); },
                  .csv = [&] { return divergence_csv(r); }});
}

void run(PerplexityArgs o, const Flags& flags) {
  take_llama_names(o);
  check(o);
  if (!o.save_reference.empty())
    check_usage([&] { check_output(o.save_reference, {o.model.file(), o.text.file, o.text.ids_file}); });
  const EngineOptions compute = compute_options(o);
  const Model model = o.model.load();
  if (o.reference.empty())
    print_perplexity(o, compute, model);
  else
    print_divergence(o, compute, model, flags.given("-c"));
}

Action declare_perplexity(Flags& flags) {
  auto o = std::make_shared<PerplexityArgs>();
  o->model.declare(flags);
  o->text.declare(flags);
  flags.add("--stride,--ppl-stride", o->text.chunks.stride,
            "windows begin N tokens apart and predict N each; 0: they lie end to end and predict their second half");
  flags.add("--save-reference", o->save_reference, "write the probabilities of all tokens, for --kl-reference", "FILE");
  flags.add("--kl-reference", o->reference, "compare with the model that wrote this file, on its text", "FILE");
  flags.add("--kl-last", o->last, "with --kl-reference: compare each window's last N predictions only; 0: its second half");
  flags.add("--kl-divergence-base", o->base, "the same as --save-reference, or with --kl-divergence as --kl-reference",
            "FILE");
  flags.add("--kl-divergence", o->divergence, "see --kl-divergence-base");
  flags.add("-b,--batch-size", o->batch, "most tokens of a step; the smaller of -b and -ub counts");
  o->compute.declare(flags);
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  o->sparq.declare(flags);
  o->model.declare_calibration(flags);
  flags.group("Output");
  o->report.declare(flags);
  return on_ranks(o->model, o->compute, [o, flags] { run(*o, flags); });
}

}  // namespace

extern const Command command_perplexity;
const Command command_perplexity{
    .name = "perplexity",
    .summary = "Measure how well a model predicts a text, and how far it is from a reference model",
    .examples =
        "  skald perplexity -m model.gguf -f text.txt\n"
        "  skald perplexity -m model.gguf -f text.txt -c 2048 --stride 512 -ctk q8_0 -ctv q8_0\n"
        "  skald perplexity -m model-f16.gguf -f text.txt --save-reference f16.bin\n"
        "  skald perplexity -m model-q4_0.gguf --kl-reference f16.bin\n",
    .declare = declare_perplexity};

}  // namespace skald
