// skald profile: where the time goes, per operation.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/flags/common.h"
#include "tools/measure/profile.h"

namespace skald {
namespace {

struct ProfileArgs {
  ModelFlags model;
  ComputeFlags compute;
  ReportFlags report;
  int64_t n_prompt = 512, n_decode = 16;
};

// Of one phase.
std::string tables(const char* what, int64_t tokens, int threads, const Profile& profile) {
  const std::string experts = experts_markdown(profile);
  return fmt::format("\n{} of {} tokens, {} threads\n\n{}", what, tokens, threads, profile_markdown(profile)) +
         (experts.empty() ? "" : "\nTokens per expert\n\n" + experts);
}

std::string markdown(const ProfileArgs& o, const Model& model, const ProfileResult& r) {
  std::string out = fmt::format("{} ({}, {}), {}\n", r.model, model.architecture(), r.type, r.backend.isa);
  out += tables("Prefill", o.n_prompt, r.backend.threads_batch, r.prefill);
  if (o.n_decode) out += tables("Decode", o.n_decode, r.backend.threads, r.decode);
  return out;
}

void run(const ProfileArgs& o) {
  o.report.check("profile");
  if (o.n_prompt < 1 || o.n_decode < 0) throw UsageError("profile: want -p of at least 1 and -n of at least 0");
  const EngineOptions compute = o.compute.checked(o.model);
  const Model model = o.model.load();
  const ProfileResult result = run_profile(*model.loaded(), compute, o.n_prompt, o.n_decode);
  o.report.print({.md = [&] { return markdown(o, model, result); },
                  .json = [&] { return profile_json(result); },
                  .csv = [&] { return profile_csv(result); }});
}

Action declare_profile(Flags& flags) {
  auto o = std::make_shared<ProfileArgs>();
  o->model.declare(flags);
  flags.add("-p,--n-prompt", o->n_prompt, "tokens to prefill");
  flags.add("-n,--n-gen", o->n_decode, "tokens to decode");
  o->compute.declare(flags);
  o->model.declare_rope(flags);
  o->model.declare_lora(flags);
  flags.group("Output");
  o->report.declare(flags);
  return [o] { run(*o); };
}

}  // namespace

extern const Command command_profile;
const Command command_profile{
    .name = "profile",
    .summary =
        "Show the time, traffic and arithmetic of each operation, the time that threads wait for each other, and "
        "how tokens spread over experts",
    .examples = "  skald profile -p 512 -n 16\n  skald profile -m model.gguf -p 512 -n 16 -t 2 -tb 4\n",
    .declare = declare_profile};

}  // namespace skald
