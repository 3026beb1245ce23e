// skald merge: the shards of a model as one file.
#include <fmt/format.h>

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

struct MergeArgs {
  std::string in, out;
};

void run(const MergeArgs& o) {
  check_usage([&] { check_output(o.out, {o.in}); });
  MergedFile file;
  if (!with_write_progress(o.out, [&](const OnProgress& progress) { file = merge_files(o.in, o.out, progress); })) return;
  say("{}: {} tensors of {} shards, {}\n", o.out, file.tensors, file.shards, size_text(file.bytes));
}

Action declare_merge(Flags& flags) {
  auto o = std::make_shared<MergeArgs>();
  flags.add_required("in", o->in, "any shard of the model");
  flags.add_required("out", o->out, "file to write");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_merge;
const Command command_merge{.name = "merge",
                            .summary = "Join the shards of a model into one file",
                            .examples = "  skald merge model-00001-of-00003.gguf model.gguf\n",
                            .declare = declare_merge};

}  // namespace skald
