// skald sample: the sampler chain on given logits.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "cli/flags/sampling.h"
#include "tools/sample/sample.h"

namespace skald {
namespace {

struct SampleArgs {
  std::string logits, history, force, model, format = "json";
  int64_t draws = 1;
  SamplingFlags sampling;
};

std::vector<TokenId> ids_of(const char* flag, const std::string& text) {
  try {
    return parse_ids(text);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", flag, e.what()));
  }
}

void run(const SampleArgs& o) {
  if (o.logits.empty()) throw UsageError("sample: --logits is required");
  const auto breakers = [&](std::span<const std::string> texts) {
    if (o.model.empty()) throw UsageError("sample: --dry-sequence-breaker: a text needs a vocabulary: give -m as well");
    return breakers_of_file(o.model, {}, texts);
  };
  const SampleOptions options{.params = o.sampling.with(SamplingParams{}, breakers),
                              .history = ids_of("--history", o.history),
                              .force = ids_of("--force", o.force),
                              .draws = o.draws};
  const NpyFloats logits = read_npy(o.logits);
  const std::vector<SampleStep> steps = check_usage([&] { return run_sample(logits, options); });
  std::fputs((o.format == "json" ? sample_json(steps) : sample_markdown(steps)).c_str(), stdout);
}

Action declare_sample(Flags& flags) {
  auto o = std::make_shared<SampleArgs>();
  flags.add("--logits", o->logits,
            "float32 numbers, of one step [vocabulary] or of several [steps, vocabulary], as skald logits writes (required)",
            "FILE.npy");
  flags.add("--history", o->history, "token ids of the text before", "ID,...");
  flags.add("-n,--draws", o->draws, "independent draws from a single step");
  flags.add("--force", o->force, "token ids, one per step, that the text goes on with instead of those drawn", "ID,...");
  flags.add("-m,--model", o->model, "model whose vocabulary the texts of --dry-sequence-breaker are looked up in", "MODEL");
  flags.add("-o,--output", o->format, "json: all candidates of each step with their probabilities; md: tables", "json|md");
  o->sampling.declare(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_sample;
const Command command_sample{
    .name = "sample",
    .summary = "Show how the sampler chain changes logits",
    .examples =
        "  skald sample --logits logits.npy --top-k 20 -o md\n"
        "  skald sample --logits logits.npy --samplers \"top_p;min_p;temperature\" --temp 1.5 -s 1\n"
        "  skald sample --logits logits.npy --history 1,5,9 --repeat-penalty 1.2 --mirostat 2\n",
    .declare = declare_sample};

}  // namespace skald
