// skald split: a model file in shards.
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "tools/quantize/split.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct SplitArgs {
  std::string in, prefix, max_size;
  SplitOptions split;
  bool dry_run = false;
};

// "300M" or "2G", in powers of ten as llama.cpp has them.
int64_t parse_size(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size());
  const int64_t scale = unit == "M" ? 1'000'000 : unit == "G" ? 1'000'000'000 : 0;
  if (error != std::errc() || scale == 0 || number < 1 || number > std::numeric_limits<int64_t>::max() / scale)
    throw UsageError("split: --split-max-size: want a size as in 300M or 2G, not '" + text + "'");
  return number * scale;
}

std::string line(const PlannedShard& s) {
  return fmt::format("{}: {} tensors, {}\n", s.path, s.tensors, size_text(s.bytes));
}

void run(SplitArgs o, bool tensors_given) {
  if (o.split.max_tensors < 1) throw UsageError("split: --split-max-tensors: want at least 1");
  if (!o.max_size.empty() && tensors_given) throw UsageError("split: want one of --split-max-size and --split-max-tensors");
  if (!o.max_size.empty()) o.split.max_bytes = parse_size(o.max_size);
  if (o.dry_run) {
    for (const PlannedShard& s : plan_split(o.in, o.prefix, o.split)) fmt::print("{}", line(s));
    return;
  }
  // Shards of any number lie beside this one.
  check_usage([&] { check_output(o.prefix + "-00001-of-00001.gguf", {o.in}); });
  std::vector<PlannedShard> shards;
  if (!with_write_progress(o.prefix, [&](const OnProgress& p) { shards = split_file(o.in, o.prefix, o.split, p); })) return;
  for (const PlannedShard& s : shards) say("{}", line(s));
}

Action declare_split(Flags& flags) {
  auto o = std::make_shared<SplitArgs>();
  flags.add_required("in", o->in, "model to read; of a split one, any shard");
  flags.add_required("out", o->prefix, "beginning of the shards' names: OUT-00001-of-00003.gguf");
  flags.add("--split-max-tensors", o->split.max_tensors, "tensors in a shard");
  flags.add("--split-max-size", o->max_size, "instead: bytes of a shard's tensors, as in 300M or 2G", "SIZE");
  flags.add("--no-tensor-first-split", o->split.no_tensor_first_split, "the first shard holds metadata only");
  flags.add("--dry-run", o->dry_run, "name the files that would be written, and write nothing");
  return [o, flags] { run(*o, flags.given("--split-max-tensors")); };
}

}  // namespace

extern const Command command_split;
const Command command_split{.name = "split",
                            .summary = "Cut a model file into shards",
                            .examples =
                                "  skald split model.gguf model --split-max-size 2G\n"
                                "  skald split model.gguf model --split-max-tensors 64 --no-tensor-first-split --dry-run\n",
                            .declare = declare_split};

}  // namespace skald
