#include "tools/measure/profile.h"

#include <algorithm>

#include "tools/bench/random_tokens.h"

namespace skald {
namespace {

/// Appends random tokens, those of a prompt in chunks, generated ones one by one.
class RandomSteps {
 public:
  RandomSteps(Runner& runner, int64_t ubatch) : runner_(runner), ubatch_(ubatch), sequence_(runner.new_sequence()) {}

  void prompt(int64_t n, Profile* profile) {
    for (int64_t done = 0; done < n; done += ubatch_) step(std::min(ubatch_, n - done), /*decode=*/false, profile);
  }
  void decode(int64_t n, Profile* profile) {
    for (int64_t done = 0; done < n; ++done) step(1, /*decode=*/true, profile);
  }
  void restart() { sequence_.clear(); }

 private:
  void step(int64_t n, bool decode, Profile* profile) {
    draw_tokens(rng_, runner_.n_vocab(), n, tokens_);
    const StepItem item{&sequence_, tokens_, 1, decode};
    runner_.profile(profile);
    runner_.run({&item, 1});
    runner_.profile(nullptr);
  }

  Runner& runner_;
  int64_t ubatch_;
  KvSequence sequence_;
  Rng rng_{1};
  std::vector<TokenId> tokens_;
};

}  // namespace

ProfileResult run_profile(const LoadedModel& model, const EngineOptions& options, int64_t n_prompt, int64_t n_decode) {
  EngineOptions with_room = options;
  with_room.cache.n_ctx = n_prompt + n_decode;
  Compute compute(model, with_room);
  ProfileResult result{
      .model = model.name(), .type = model.main_format(), .backend = compute.backend().info(), .prefill = {}, .decode = {}};
  RandomSteps steps(compute.runner(), options.schedule.step_rows());
  steps.prompt(std::min(n_prompt, options.schedule.step_rows()), nullptr);
  steps.decode(std::min<int64_t>(n_decode, 1), nullptr);
  steps.restart();
  steps.prompt(n_prompt, &result.prefill);
  steps.decode(n_decode, &result.decode);
  return result;
}

}  // namespace skald
