// skald quantize: a model file in other formats.
#include <fmt/format.h>

#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/override_list.h"
#include "cli/flags/threads.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "tools/quantize/quantize.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct QuantizeArgs {
  QuantizeJob job;
  bool dry_run = false;

  bool chooses_weights() const { return !job.include_weights.empty() || !job.exclude_weights.empty(); }
};

std::string known_types() {
  std::string out = "type of the model, as llama.cpp names them:";
  for (const QuantizeMix& m : quantize_mixes()) out += fmt::format("\n{:<9} {}", m.name, m.summary);
  return out;
}

std::vector<std::string> type_names() {
  std::vector<std::string> out;
  for (const QuantizeMix& m : quantize_mixes()) out.emplace_back(m.name);
  return out;
}

void print_tensor(const TensorPlan& t) {
  end_progress();
  say("{}\n", t.line());
}

void print_report(const QuantizeArgs& o, const QuantizeReport& r) {
  say("{}: {}{}, {:.2f} bits per weight; {} before, {} tensors changed", o.dry_run ? "would be" : o.job.out,
      size_text(r.bytes), r.files > 1 ? fmt::format(" in {} shards", r.files) : "", r.bits_per_weight(),
      size_text(r.bytes_before), r.changed);
  if (r.fell_back) say(", {} of them in another type than wanted", r.fell_back);
  if (r.without_importance)
    say(", {} without importance{}", r.without_importance, o.chooses_weights() ? "" : ": the matrix has nothing for them");
  say("\n");
}

void check(QuantizeArgs& o) {
  QuantizeJob& job = o.job;
  if (o.dry_run && job.spec.type.empty()) std::swap(job.spec.type, job.out);  // "in.gguf TYPE": there is no file to name
  if (job.spec.type.empty()) throw UsageError("quantize: want a model, a file to write and a type");
  job.n_threads = allowed_threads("quantize: --threads (-t)", job.n_threads);
  if (!job.include_weights.empty() && !job.exclude_weights.empty())
    throw UsageError("quantize: want one of --include-weights and --exclude-weights");
  if (o.chooses_weights() && job.imatrix.empty())
    throw UsageError("quantize: --include-weights and --exclude-weights go with --imatrix, whose weights they choose");
  job.override_kv = split_overrides(job.override_kv);
  if (o.dry_run) job.out.clear();
}

void run(QuantizeArgs& o) {
  check(o);
  if (!o.dry_run) check_usage([&] { check_output(o.job.out, {o.job.in, o.job.imatrix, o.job.calibration}); });
  QuantizeReport report;
  const bool done = with_write_progress(o.job.out, [&](const OnProgress& on_progress) {
    check_usage([&] { report = quantize_file(o.job, {.tensor = print_tensor, .on_progress = on_progress}); });
  });
  if (!done) return;
  print_report(o, report);
}

Action declare_quantize(Flags& flags) {
  auto o = std::make_shared<QuantizeArgs>();
  QuantizeSpec& spec = o->job.spec;
  flags.add_required("in", o->job.in, "model to read: f32, f16 or bf16; of a split one, any shard");
  flags.add_required("out", o->job.out, "file to write");
  flags.add("type", spec.type, in_flags(known_types()).c_str(), "TYPE");
  flags.offer(type_names());
  flags.add("--imatrix", o->job.imatrix, "importance of each column, from skald imatrix or llama.cpp: .gguf or .dat",
            "FILE");
  flags.add("--calibration", o->job.calibration,
            "make a calibration of the model by skald calibrate a part of the file, for sparse decoding", "FILE");
  flags.add("--include-weights", o->job.include_weights, "use importance only for tensors whose names hold this text",
            "NAME");
  flags.add("--exclude-weights", o->job.exclude_weights, "use it for all tensors but those whose names hold this text",
            "NAME");
  flags.add("--tensor-type", spec.tensor_types,
            "type of the tensors whose names hold an expression; the first such flag counts", "REGEX=TYPE");
  flags.add("--output-tensor-type", spec.output_type, "type of output.weight", "TYPE");
  flags.add("--token-embedding-type", spec.embedding_type, "type of token_embd.weight", "TYPE");
  flags.add("--leave-output-tensor", spec.leave_output, "keep output.weight as it is");
  flags.add("--pure", spec.pure, "one type for all tensors instead of a mix");
  flags.add("--allow-requantize", spec.allow_requantize,
            "take tensors that are quantised already, which loses more than from f16");
  flags.add("--override-kv", o->job.override_kv,
            "replace or add a value of the metadata, read and written; TYPE is int, float, bool or str", "KEY=TYPE:VALUE");
  flags.add("--keep-split", o->job.keep_split,
            "write a split model in as many shards, with the same tensors in each: OUT-00001-of-00003.gguf; a model in one "
            "file stays in one, OUT");
  flags.add("--dry-run", o->dry_run, "show the types and sizes of the tensors, and write nothing");
  flags.add("-t,--threads", o->job.n_threads, "threads; 0: one per usable CPU");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_quantize;
const Command command_quantize{
    .name = "quantize",
    .summary = "Write a model file in smaller types, as llama.cpp mixes them",
    .examples =
        "  skald quantize model-f16.gguf model-q4_k_m.gguf Q4_K_M\n"
        "  skald quantize model-f16.gguf model-iq4_xs.gguf IQ4_XS --imatrix imatrix.gguf -t 8\n"
        "  skald quantize model-f16.gguf out.gguf Q5_K_S --tensor-type 'ffn_down=q8_0' --tensor-type 'blk\\.[01]\\.=q6_k'\n"
        "  skald quantize model-f16.gguf out.gguf Q4_K_M --imatrix imatrix.gguf --exclude-weights ffn_down\n"
        "  skald quantize model-f16.gguf out.gguf Q4_K_M --override-kv general.name=str:Other\n"
        "  skald quantize --keep-split model-f16-00001-of-00003.gguf model-q4_k_m Q4_K_M\n"
        "  skald quantize --dry-run model-f16.gguf Q6_K\n",
    .declare = declare_quantize};

}  // namespace skald
