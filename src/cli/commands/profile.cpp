// skald profile: where the time goes, per operation.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/common_flags.h"
#include "tools/profile.h"

namespace skald {
namespace {

struct Options {
  ModelFlags model;
  ComputeFlags compute;
  int64_t n_prompt = 512, n_decode = 16;
};

void run(const Options& o) {
  if (o.n_prompt < 1 || o.n_decode < 0) throw UsageError("profile: want -p of at least 1 and -n of at least 0");
  const ComputeOptions compute = o.compute.checked();
  const Model model = o.model.load();
  const ProfileResult result = run_profile(*model.loaded(), compute, o.n_prompt, o.n_decode);
  fmt::print("{} ({}, {}), {}\n\nPrefill of {} tokens, {} threads\n\n{}", model.name(), model.architecture(),
             model.loaded()->main_format(), result.backend.isa, o.n_prompt, result.backend.threads_batch,
             profile_markdown(result.prefill));
  if (o.n_decode)
    fmt::print("\nDecode of {} tokens, {} threads\n\n{}", o.n_decode, result.backend.threads,
               profile_markdown(result.decode));
}

Action declare(Flags& flags) {
  auto o = std::make_shared<Options>();
  o->model.declare(flags);
  flags.add("-p,--n-prompt", o->n_prompt, "tokens to prefill");
  flags.add("-n,--n-gen", o->n_decode, "tokens to decode");
  o->compute.declare(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_profile;
const Command command_profile{
    .name = "profile",
    .summary = "Show the time, traffic and arithmetic of each operation, and what threads lose in waiting for each other",
    .examples = "  skald profile -p 512 -n 16\n  skald profile -m model.gguf -p 512 -n 16 -t 2 -tb 4\n",
    .declare = declare};

}  // namespace skald
