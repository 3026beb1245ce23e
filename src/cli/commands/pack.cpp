// skald pack: a model file with its weights as matmuls want them.
#include <fmt/format.h>

#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/tell.h"
#include "tools/quantize/packed_file.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct PackArgs {
  std::string in, out;
};

void run(const PackArgs& o) {
  check_usage([&] { check_output(o.out, {o.in}); });
  PackedFile file;
  if (!with_write_progress(o.out, [&](const OnProgress& progress) { file = write_packed_file(o.in, o.out, progress); }))
    return;
  say("{}: {}, {} of {} tensors in panels\n", o.out, size_text(file.bytes), file.packed, file.tensors);
}

Action declare_pack(Flags& flags) {
  auto o = std::make_shared<PackArgs>();
  flags.add_required("in", o->in, "model to read; of a split one, any shard");
  flags.add_required("out", o->out, "file to write");
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_pack;
const Command command_pack{.name = "pack",
                           .summary = "Write a model file that starts at once: its weights lie as fast matmuls want them",
                           .examples =
                               "  skald pack model.gguf model-packed.gguf\n"
                               "  skald run -m model-packed.gguf -p \"Once upon a time\"\n",
                           .declare = declare_pack};

}  // namespace skald
