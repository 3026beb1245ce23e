#include "tools/measure/logits.h"

#include <algorithm>

namespace skald {

std::vector<float> compute_logits(const LoadedModel& model, const EngineOptions& options, std::span<const TokenId> tokens,
                                  int64_t decode_from) {
  const auto n = static_cast<int64_t>(tokens.size());
  const int64_t prefill = decode_from < 0 ? n : std::min(decode_from, n);
  EngineOptions with_room = options;
  with_room.cache.n_ctx = n;
  Compute compute(model, with_room);
  Runner& runner = compute.runner();
  std::vector<float> out;
  out.reserve(static_cast<size_t>(n * model.n_vocab()));
  KvSequence sequence = runner.new_sequence();
  sequence.set_prefix(model.prefix_length(tokens));
  for (int64_t done = 0; done < n;) {
    const int64_t count = done < prefill ? std::min(options.schedule.step_rows(), prefill - done) : 1;
    const StepItem item{&sequence, tokens.subspan(static_cast<size_t>(done), static_cast<size_t>(count)), count,
                        done >= prefill};
    const Logits logits = runner.run({&item, 1});
    out.insert(out.end(), logits.all().begin(), logits.all().end());
    done += count;
  }
  return out;
}

}  // namespace skald
