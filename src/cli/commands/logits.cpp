// skald logits: the logits of every position, as a NumPy file.
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/ranks.h"
#include "cli/flags/sparq.h"
#include "loading/loaded_model.h"
#include "tools/measure/logits.h"
#include "tools/report/npy.h"
#include "tools/report/output_check.h"

namespace skald {
namespace {

struct LogitsArgs {
  ModelFlags model;
  ComputeFlags compute;
  SparqFlags sparq;
  std::string ids, ids_file, out;
  int64_t decode_from = -1;
};

void run(const LogitsArgs& o) {
  if (o.ids.empty() == o.ids_file.empty()) throw UsageError("logits: want exactly one of --ids and --ids-file");
  if (o.decode_from < -1) throw UsageError("logits: --decode-from: want -1 (never) or more");
  EngineOptions compute = o.compute.checked(o.model);
  compute.cache.sparq = o.sparq.checked(o.compute);
  check_usage([&] { check_output(o.out, {o.model.file(), o.ids_file}); });
  const std::vector<TokenId> ids = parse_ids(o.ids.empty() ? read_text(o.ids_file) : o.ids);
  if (ids.empty()) throw UsageError("logits: no token ids");
  const Model model = o.model.load();
  const std::vector<float> logits = compute_logits(*model.loaded(), compute, ids, o.decode_from);
  write_npy(o.out, logits, static_cast<int64_t>(ids.size()), model.n_vocab());
}

Action declare_logits(Flags& flags) {
  auto o = std::make_shared<LogitsArgs>();
  o->model.declare(flags);
  flags.add("--ids,--prompt-ids", o->ids, "token ids", "ID,...");
  flags.add("--ids-file", o->ids_file, "file with token ids, separated by commas or white space; -: standard input", "FILE");
  flags.add("--decode-from", o->decode_from, "prefill N tokens, then feed the rest one at a time; -1: prefill all");
  flags.add("-o,--output", o->out, "file to write: float32 [n_tokens, n_vocab] (required)", "FILE.npy");
  o->compute.declare(flags);
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  o->sparq.declare(flags);
  o->model.declare_calibration(flags);
  return on_ranks(o->model, o->compute, [o] {
    if (o->out.empty()) throw UsageError("logits: -o is required");
    run(*o);
  });
}

}  // namespace

extern const Command command_logits;
const Command command_logits{.name = "logits",
                             .summary = "Write the logits of every position to a NumPy file",
                             .examples =
                                 "  skald logits -m model.gguf --ids 1,5,9 -o logits.npy\n"
                                 "  skald logits -m model.gguf --ids-file ids.txt --decode-from 16 -o logits.npy\n",
                             .declare = declare_logits};

}  // namespace skald
