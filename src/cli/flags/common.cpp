#include "cli/flags/common.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/error.h"
#include "base/log.h"
#include "base/meta_overrides.h"
#include "base/terminal_text.h"
#include "cli/flags/override_list.h"
#include "cli/flags/ranks.h"
#include "cli/flags/table_flags.h"
#include "cli/flags/threads.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "loading/loaded_model.h"
#include "tools/report/devices.h"

namespace skald {
namespace {

// Devices and pipes may have no end. No tokenizer takes more than this either.
constexpr size_t kLongestText = size_t{512} << 20;

std::string read_all(std::istream& in, const std::string& name) {
  constexpr size_t kBlock = size_t{1} << 20;
  std::string text;
  while (in && text.size() <= kLongestText) {
    const size_t before = text.size();
    text.resize(before + kBlock);
    in.read(text.data() + before, kBlock);
    text.resize(before + static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) fail(Errc::kDevice, "cannot read {}", name);
  if (text.size() > kLongestText) fail(Errc::kBadInput, "{}: a text of more than {} MiB", name, kLongestText >> 20);
  return text;
}

// Whether the file is mapped. There is no direct I/O: such a file is read.
bool maps(const ModelFlags& m) {
  for (const char* mode : {"none", "mlock", "dio"})
    if (m.load_mode == mode) return false;
  return m.mmap;
}

}  // namespace

void ModelFlags::declare(Flags& flags) {
  flags.group("Model");
  flags.add(
      "-m,--model", path,
      "GGUF file (of a split one, any shard), Hugging Face folder, or name of a model that skald pull got. Default: the "
      "embedded story model",
      "MODEL");
  hub.declare(flags);
  flags.add("--override-kv", override_kv, "replace or add a value of the model's metadata; TYPE is int, float, bool or str",
            "KEY=TYPE:VALUE");
  flags.add("--mmap,!--no-mmap", mmap, "map the file, the default, or read it into memory");
  flags.add("-lm,--load-mode", load_mode,
            "auto and mmap: map the file; none and dio: read it; mlock, mmap+mlock: and keep it in memory",
            "auto|none|mmap|mlock|mmap+mlock|dio");
  add_option(flags, "device.repack", repack);
}

void ModelFlags::declare_rope(Flags& flags) {
  rope.declare(flags);
  control.declare(flags);
}

void ModelFlags::declare_calibration(Flags& flags) {
  flags.add(
      "--sparq-index", calibration,
      "calibration of the model by skald calibrate, by which sparse decoding loses less at the same bytes; default: the "
      "one in the model's file, if any",
      "FILE");
}

void ModelFlags::declare_name(Flags& flags) {
  flags.add("name", name, "the model, as -m has it: a file, or the name of one that skald pull got", "MODEL");
}

const std::string& ModelFlags::file() const {
  if (file_) return *file_;
  if (!path.empty() + !name.empty() + hub.given() > 1)
    throw UsageError("several models are named: want one of NAME, -m and -hf");
  if (!hub.given() && !hub.file.empty()) throw UsageError("--hf-file goes with -hf");
  file_ = hub.given() ? hub.get() : find_model(name.empty() ? path : name);
  return *file_;
}

LoadOptions ModelFlags::options(bool layers_ahead) const {
  LoadOptions out{.mmap = maps(*this),
                  .override_kv = split_overrides(override_kv),
                  .calibration = calibration,
                  .control_vectors = control.vectors(),
                  .control_layers = control.layers(),
                  .layers_ahead = layers_ahead};
  if (lora.merge) out.loras = lora.files();
  for (std::string& o : rope.overrides()) out.override_kv.push_back(std::move(o));
  check_usage([&] { return MetaOverrides(out.override_kv); });  // whatever the model is
  return out;
}

Model ModelFlags::load(bool layers_ahead) const {
  Model model = check_usage([&] {
    if (file().empty()) return Model::embedded(options());
    LoadOptions o = options(layers_ahead);
    o.on_progress = progress_callback("reading " + std::filesystem::path(file()).filename().string());
    return Model::load(file(), o);
  });
  log(LogLevel::kInfo, "model {}: {}, {} tokens of vocabulary, made for contexts of {}", model.name(), model.architecture(),
      model.n_vocab(), model.n_ctx_train());
  return model;
}

Model ModelFlags::load_writer(bool layers_ahead) const {
  Model model = load(layers_ahead);
  model.loaded()->want_writer();
  return model;
}

std::unique_ptr<Tokenizer> ModelFlags::tokenizer() const {
  return check_usage([&] { return load_tokenizer(file(), options()); });
}

void ComputeFlags::declare(Flags& flags) {
  declared.emplace(flags);
  flags.group("Threads and memory");
  add_options(flags, OptionGroup::kDevice, options);
  add_options(flags, OptionGroup::kThreads, options);
  flags.group("Several processes or machines");
  add_options(flags, OptionGroup::kRanks, options);
  flags.group("KV cache and attention");
  add_options(flags, OptionGroup::kCacheTypes, options);
  flags.add("-ct,--cache-type", cache_types,
            "both at once; small: kc4 keys with q8_0 values, which lose little in 40 % of f16's memory", "TYPE");
  flags.offer({"small", "f32", "f16", "bf16", "q8_0", "q4_0"});
  add_options(flags, OptionGroup::kCacheForm, options);
}

// -ctk and -ctv say more than -ct.
void ComputeFlags::set_cache_types(EngineOptions& out) const {
  if (cache_types.empty()) return;
  const auto given = [&](const char* flags) { return declared && declared->given(flag_named(flags).long_name().c_str()); };
  for (const OptionRow& row : option_rows())
    if (row.group == OptionGroup::kCacheTypes && !given(row.flags))
      value_at(out, std::get<std::string CacheOptions::*>(row.place)) = cache_types == "small" ? row.small : cache_types;
}

// Copied commands ask for layers on a GPU: without one, the text is the same.
void follow_device(DeviceOptions& o) {
  if (o.device == "none" || o.device == "CPU") o.device = "cpu";  // as llama.cpp has it
  if (o.device != "cpu") return;
  const bool wanted = !o.gpu_layers.empty() && o.gpu_layers != "0";
  if (const std::string gpu = wanted ? gpu_device() : ""; !gpu.empty()) {
    o.device = gpu;
  } else {
    if (wanted && o.gpu_layers != "auto")
      tell(fmt::format("-ngl {}: there is no GPU device here{}: all layers run on the CPU", o.gpu_layers, why_no_gpu()));
    check_usage([&] { o.check(); });
    o.gpu_layers.clear();
    o.override_tensors.clear();
    o.cpu_moe = false;
    o.n_cpu_moe = 0;
  }
}

EngineOptions ComputeFlags::with(const ModelFlags& model) const {
  EngineOptions out = options;
  follow_device(out.device);
  out.device.group = joined_ranks(out.device);
  set_cache_types(out);
  out.device.repack = model.repack;
  if (!model.lora.merge) out.loras = model.lora.files();
  out.device.on_progress = progress_callback("repacking weights");
  out.device.lock = out.device.lock || model.locks();
  if (out.device.cpu_range.empty()) {  // else the CPUs are counted where their list is read
    out.device.n_threads = allowed_threads("--threads (-t)", out.device.n_threads);
    out.device.n_threads_batch = allowed_threads("--threads-batch (-tb)", out.device.n_threads_batch);
  }
  out.cache.lock = out.device.lock;  // --mlock
  return out;
}

EngineOptions ComputeFlags::checked(const ModelFlags& model) const {
  EngineOptions out = with(model);
  out.schedule.n_batch = out.schedule.n_ubatch;
  out.schedule.n_parallel = 1;
  check_usage([&] { out.check(); });
  return out;
}

void ReportFlags::declare(Flags& flags) {
  const std::string help =
      plot ? fmt::format("how the report is printed; svg: a plot of {}", plot) : "how the report is printed";
  flags.add("-o,--output", format, help.c_str(), plot ? "md|json|csv|svg" : "md|json|csv");
}

void ReportFlags::check(std::string_view command) const {
  const auto wrong = [&](const char* why) {
    throw UsageError(
        fmt::format("{}: -o {}: {}; want {}", command, format, why, plot ? "md, json, csv or svg" : "md, json or csv"));
  };
  if (format == "md" || format == "json" || format == "csv" || (plot && draws())) return;
  wrong(draws() ? "this command has no plot" : "no such format");
}

void ReportFlags::print(const Reports& reports) const {
  const std::string out = (format == "md"     ? reports.md
                           : format == "json" ? reports.json
                           : draws()          ? reports.svg
                                              : reports.csv)();
  // It names what files hold; JSON has escapes of its own.
  std::fputs((format == "json" ? out : terminal_text(out, /*lines=*/true)).c_str(), stdout);
}

void RooflineFlags::declare(Flags& flags) {
  flags.add("--roofline-seconds", seconds, "how long the machine's limits are measured before and after each test");
}

double RooflineFlags::checked() const {
  if (!(seconds >= 0.01F && seconds <= 60)) throw UsageError("--roofline-seconds: want 0.01 to 60");
  return static_cast<double>(seconds);
}

std::string read_text(const std::string& path) {
  if (path == "-") return read_all(std::cin, "standard input");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(Errc::kNotFound, "cannot open {}: {}", path, std::strerror(errno));
  return read_all(file, path);
}

}  // namespace skald
