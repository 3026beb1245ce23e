// Flags that several subcommands share, with llama.cpp's names.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags/control_vector.h"
#include "cli/flags/fields.h"
#include "cli/flags/flags.h"
#include "cli/flags/hub.h"
#include "cli/flags/lora.h"
#include "cli/flags/rope.h"
#include "skald/engine.h"
#include "skald/error.h"
#include "skald/model.h"
#include "stepping/compute.h"
#include "tools/report/vocab_file.h"

namespace skald {

struct ModelFlags {
  std::string path;  // -m: a path, or the name of a model that was got
  std::string name;  // the same as a word of its own
  HubFlags hub;      // -hf
  std::vector<std::string> override_kv;
  bool mmap = true, repack = true;
  std::string load_mode = "auto";
  RopeFlags rope;
  LoraFlags lora;
  std::string calibration;
  ControlVectorFlags control;

  void declare(Flags& flags);
  /// The word of commands that take a model without a flag too: skald run NAME.
  void declare_name(Flags& flags);
  /// The further flags of commands that compute: of position encoding, and of control vectors.
  void declare_rope(Flags& flags);
  /// --lora and its like, of commands that compute texts.
  void declare_lora(Flags& flags) { lora.declare(flags); }
  /// --sparq-index, of commands that decode sparsely.
  void declare_calibration(Flags& flags);
  LoadOptions options(bool layers_ahead = false) const;  // throws UsageError
  /// Whether --load-mode asks for it, as --mlock does.
  bool locks() const { return load_mode == "mlock" || load_mode == "mmap+mlock"; }
  /// Whether a model was named.
  bool given() const { return !path.empty() || !name.empty() || hub.given(); }
  /// The path of the model that was named, which -hf gets unless it is there; empty where none was named. Throws UsageError
  /// where several were.
  const std::string& file() const;
  /// The file, or the embedded model when none was named.
  Model load(bool layers_ahead = false) const;
  /// The same for commands that go on with a text. Throws Error (kUnsupported) for a model that cannot.
  Model load_writer(bool layers_ahead = false) const;
  /// Its tokenizer, without its weights.
  std::unique_ptr<Tokenizer> tokenizer() const;

 private:
  mutable std::optional<std::string> file_ = {};  // once it was asked for
};

/// Makes of the flags that name devices what this machine has; a line says where there is no GPU. Throws UsageError.
void follow_device(DeviceOptions& options);

/// -t, -ub, where threads run, and how keys and values are cached: what running a model takes without the engine's
/// scheduling.
struct ComputeFlags {
  EngineOptions options;               // commands with further flags set the other fields
  std::string cache_types;             // of keys and values at once
  std::optional<Flags> declared = {};  // says which were given

  void declare(Flags& flags);
  /// The options with what other flags say about them.
  EngineOptions with(const ModelFlags& model) const;
  /// The same for commands that run steps themselves: of one sequence, and without -b, -ub alone says how many tokens a step
  /// takes. Throws UsageError for values out of range.
  EngineOptions checked(const ModelFlags& model = {}) const;

 private:
  void set_cache_types(EngineOptions& out) const;
};

/// A report in each format; of what makes it.
struct Reports {
  std::function<std::string()> md, json, csv;
  std::function<std::string()> svg = {};  // a plot; none: the command has no such format
};

/// -o: how a report is printed.
struct ReportFlags {
  const char* plot = nullptr;  // what `-o svg` draws; null where there is no plot
  std::string format = "md";

  void declare(Flags& flags);
  /// Throws UsageError, naming the command, for a format that it has not.
  void check(std::string_view command) const;
  bool draws() const { return format == "svg"; }
  /// Prints the one that was asked for.
  void print(const Reports& reports) const;
};

/// --roofline-seconds: how thoroughly benchmarks measure what the machine can do.
struct RooflineFlags {
  float seconds = 2;

  void declare(Flags& flags);
  double checked() const;  // throws UsageError
};

/// The content of a text file, or of standard input for "-". Throws Error naming it.
std::string read_text(const std::string& path);

/// Gives what `f` does, and turns an Error (kBadInput) of it into a UsageError that names flags: the value came
/// from one.
template <class F>
decltype(auto) check_usage(F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (e.code() != Errc::kBadInput) throw;
    throw UsageError(in_flags(e.what()));
  }
}

}  // namespace skald
