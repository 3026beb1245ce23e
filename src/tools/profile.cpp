#include "tools/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rng.h"
#include "tools/table.h"

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
  ProfileResult result{.backend = compute.backend().info(), .prefill = {}, .decode = {}};
  Rng rng(1);
  KvSequence sequence = runner.new_sequence();
  append(runner, sequence, rng, std::min(n_prompt, options.ubatch), options.ubatch, nullptr);
  append(runner, sequence, rng, std::min<int64_t>(n_decode, 1), 1, nullptr);
  sequence.truncate(0);
  append(runner, sequence, rng, n_prompt, options.ubatch, &result.prefill);
  append(runner, sequence, rng, n_decode, 1, &result.decode);
  return result;
}

std::string profile_markdown(const Profile& profile) {
  const ProfileRow total = profile.total();
  std::vector<std::pair<std::string, ProfileRow>> rows(profile.rows.begin(), profile.rows.end());
  std::ranges::sort(rows, std::ranges::greater{}, [](const auto& r) { return r.second.seconds; });
  rows.emplace_back("total", total);
  Table table{{"operation", "calls", "ms", "share", "waiting", "GB/s", "GFLOP/s"}, {}};
  for (const auto& [name, row] : rows)
    table.rows.push_back({name, std::to_string(row.calls), fmt::format("{:.3f}", row.seconds * 1e3),
                          fmt::format("{:.1f}%", total.seconds > 0 ? 100 * row.seconds / total.seconds : 0),
                          fmt::format("{:.1f}%", row.thread_seconds > 0 ? 100 * row.waited / row.thread_seconds : 0),
                          fmt::format("{:.2f}", row.seconds > 0 ? row.bytes / row.seconds * 1e-9 : 0),
                          fmt::format("{:.2f}", row.seconds > 0 ? row.flops / row.seconds * 1e-9 : 0)});
  return table.markdown();
}

}  // namespace skald
