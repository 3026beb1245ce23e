#include "tools/profile.h"

#include <algorithm>

#include "base/rng.h"

namespace skald {
namespace {

void append(Runner& runner, KvSequence& sequence, Rng& rng, int64_t n, int64_t chunk, Profile* profile) {
  std::vector<TokenId> tokens;
  for (int64_t done = 0; done < n; done += chunk) {
    tokens.resize(static_cast<size_t>(std::min(chunk, n - done)));
    for (TokenId& t : tokens) t = static_cast<TokenId>(rng.next() % static_cast<uint64_t>(runner.n_vocab()));
    const StepItem item{&sequence, tokens, 1};
    runner.run({&item, 1}, profile);
  }
}

}  // namespace

ProfileResult run_profile(const LoadedModel& model, const ComputeOptions& options, int64_t n_prompt, int64_t n_decode) {
  ComputeOptions with_room = options;
  with_room.kv.max_keys = n_prompt + n_decode;
  Compute compute(model, with_room);
  Runner& runner = compute.runner();
  ProfileResult result{
      .model = model.name(), .type = model.main_format(), .backend = compute.backend().info(), .prefill = {}, .decode = {}};
  Rng rng(1);
  KvSequence sequence = runner.new_sequence();
  append(runner, sequence, rng, std::min(n_prompt, options.ubatch), options.ubatch, nullptr);
  append(runner, sequence, rng, std::min<int64_t>(n_decode, 1), 1, nullptr);
  sequence.truncate(0);
  append(runner, sequence, rng, n_prompt, options.ubatch, &result.prefill);
  append(runner, sequence, rng, n_decode, 1, &result.decode);
  return result;
}

}  // namespace skald
