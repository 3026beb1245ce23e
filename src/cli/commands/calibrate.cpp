// skald calibrate: bases for the key index of sparse decoding, from a text.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/size_text.h"
#include "cli/command.h"
#include "cli/flags/text.h"
#include "cli/terminal/tell.h"
#include "loading/loaded_model.h"
#include "tools/calibrate/calibrate.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

// Keys of later positions turn further: a window is as long as texts are that are decoded sparsely.
constexpr int64_t kUsualWindow = 4096, kUsualWindows = 8;

struct CalibrateArgs {
  ModelFlags model;
  TextFlags text;
  ComputeFlags compute;
  std::string out;
};

void run(const CalibrateArgs& o) {
  if (!o.text.checked("calibrate")) throw UsageError("calibrate: want a text: -f FILE");
  if (o.out.empty()) throw UsageError("calibrate: want a file to write: -o FILE");
  check_usage([&] { check_output(o.out, {o.model.file(), o.text.file, o.text.ids_file}); });
  const EngineOptions compute = o.compute.checked(o.model);
  const Model model = o.model.load_writer();
  const TokenChunks text = o.text.read(model);
  CalibratedModel made;
  const bool done = with_window_progress([&](const OnWindow& on_window) {
    made = calibrate(*model.loaded(), compute, text, o.out, {.dataset = o.text.path(), .on_window = on_window});
  });
  if (!done) return;
  say("{}: {} layers, {} windows of {} tokens, {}\n", o.out, made.layers, made.perplexity.chunks, text.n_ctx,
      size_text(static_cast<int64_t>(std::filesystem::file_size(o.out))));
  if (made.windows) say("{} layers with short windows need no basis\n", made.windows);
}

Action declare_calibrate(Flags& flags) {
  auto o = std::make_shared<CalibrateArgs>();
  o->text.chunks.n_ctx = kUsualWindow;
  o->text.chunks.most = kUsualWindows;
  o->model.declare(flags);
  o->text.declare(flags);
  flags.add("-o,--output", o->out, "file to write", "FILE");
  o->compute.declare(flags);
  o->model.declare_rope(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_calibrate;
const Command command_calibrate{
    .name = "calibrate",
    .summary = "Measure how a model's keys and queries are spread, for an index of sparse decoding that loses less",
    .examples =
        "  skald calibrate -m model.gguf -f calibration.txt -o model.skald-index\n"
        "  skald run -m model.gguf --sparq-index model.skald-index --sparq --sparq-ratio 8 -f question.txt\n"
        "  skald quantize model.gguf calibrated.gguf COPY --calibration model.skald-index\n",
    .declare = declare_calibrate};

}  // namespace skald
