// skald convert: a Hugging Face folder, of a model or an adapter, as a GGUF file.
#include <fmt/format.h>

#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/threads.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "tools/quantize/convert.h"
#include "tools/quantize/convert_adapter.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct ConvertArgs {
  std::string in, out, type, pre_tokenizer;
  std::string calibration, base;
  bool adapter = false;
  int threads = 0;
};

void print(const ConvertArgs& o, const ConvertedFile& file) {
  say("{}: {} tensors, {}\n", o.out, file.tensors, size_text(file.bytes));
}

void run_adapter(const ConvertArgs& o) {
  if (o.base.empty()) throw UsageError("convert: " + o.in + " is an adapter: want its model's file or folder (--base)");
  if (!o.pre_tokenizer.empty() || !o.calibration.empty())
    throw UsageError("convert: --pre-tokenizer and --calibration are for models, not for an adapter");
  const std::string base = find_model(o.base);
  check_usage([&] { check_output(o.out, {o.in, base}); });
  print(o, check_usage([&] { return convert_adapter(o.in, base, o.out, o.type); }));
}

void run(ConvertArgs& o) {
  const bool adapter_meant = o.adapter || !o.base.empty();
  if (adapter_meant) o.in = find_adapter(o.in);
  if (is_adapter_folder(o.in, adapter_meant)) return run_adapter(o);
  if (adapter_meant)
    throw UsageError(
        fmt::format("convert: {} goes with an adapter's folder, which {} is not", o.adapter ? "--adapter" : "--base", o.in));
  const int threads = allowed_threads("convert: --threads (-t)", o.threads);
  check_usage([&] { check_output(o.out, {o.in, o.calibration}); });
  const ConvertOptions options{.type = o.type, .tokenizer = {.pre_tokenizer = o.pre_tokenizer}};
  ConvertedFile file;
  const bool done = with_write_progress(o.out, [&](const OnProgress& on_progress) {
    check_usage([&] { file = convert_file(o.in, o.out, options, threads, o.calibration, on_progress); });
  });
  if (!done) return;
  print(o, file);
}

Action declare_convert(Flags& flags) {
  auto o = std::make_shared<ConvertArgs>();
  flags.add_required(
      "in", o->in,
      "folder with config.json, *.safetensors and the tokenizer's files; or an adapter's, with adapter_config.json", "DIR");
  flags.add_required("out", o->out, "GGUF file to write");
  flags.add("--type,--outtype", o->type,
            "type of the matrices: f32, f16, bf16, q8_0 or another that `skald quantize` has; default: as they are stored",
            "TYPE");
  flags.add("--pre-tokenizer", o->pre_tokenizer,
            "how words are cut, by GGUF's name (llama-bpe, qwen2, ...); default: that of the tokenizer's files", "NAME");
  flags.add("--calibration", o->calibration,
            "make a calibration of the model by skald calibrate a part of the file, for sparse decoding", "FILE");
  flags.add("--adapter", o->adapter, "the folder must be an adapter's; it may be the name of one that skald pull got");
  flags.add("--base", o->base, "of an adapter: the model that it changes, a GGUF file or a folder; its weights are not read",
            "MODEL");
  flags.add("-t,--threads", o->threads, "threads; 0: one per usable CPU");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_convert;
const Command command_convert{.name = "convert",
                              .summary = "Write a Hugging Face folder (safetensors) as a GGUF file",
                              .examples =
                                  "  skald convert Llama-3.2-1B llama-3.2-1b.gguf\n"
                                  "  skald convert Llama-3.2-1B llama-3.2-1b-q8_0.gguf --type q8_0\n"
                                  "  skald convert --adapter my-lora my-lora.gguf --base Llama-3.2-1B\n"
                                  "  skald run -m Llama-3.2-1B -p \"Once upon a time\"   # the same without a file\n",
                              .declare = declare_convert};

}  // namespace skald
