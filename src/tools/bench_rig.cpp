#include "tools/bench_rig.h"

#include <algorithm>
#include <chrono>

namespace skald {

BenchRig::BenchRig(const LoadedModel& model, const ComputeOptions& options)
    : sparq_(options.kv.sparq), compute_(model, options), sequence_(compute_.runner().new_sequence()), random_(compute_) {}

double BenchRig::time(const BenchSteps& steps) {
  using Clock = std::chrono::steady_clock;
  begin_at(steps.depth);
  Runner& runner = compute_.runner();
  const auto start = Clock::now();
  for (int64_t done = 0; done < steps.n; done += steps.chunk) {
    tokens_.resize(static_cast<size_t>(std::min(steps.chunk, steps.n - done)));
    for (TokenId& t : tokens_) t = static_cast<TokenId>(rng_.next() % static_cast<uint64_t>(runner.n_vocab()));
    const StepItem item{&sequence_, tokens_, 1, steps.decode};  // logits of each step's last token, as in generation
    runner.run({&item, 1});
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

BenchWork BenchRig::work(const BenchSteps& steps, const Roofline& roofline) {
  BenchWork work;
  Runner& runner = compute_.runner();
  for (int64_t done = 0; done < steps.n; done += steps.chunk) {
    const int64_t rows = std::min(steps.chunk, steps.n - done);
    const StepStats::Sequence sequence{rows, steps.depth + done + rows, steps.decode && sparq_.on()};
    StepStats stats = runner.last_stats();  // for the cache's element sizes
    stats.n_tokens = rows;
    stats.n_outputs = 1;
    stats.sequences = {&sequence, 1};
    const Graph& graph = runner.program(rows, 1).graph();
    for (const Node& node : graph.nodes()) {
      if (node.source != Source::kOp) continue;
      const Cost cost = cost_of(graph, node, stats);
      work.bytes += cost.bytes;
      work.flops += cost.flops;
      if (const double peak = backend().peak_of(graph, node, roofline); peak > 0)
        work.ideal_seconds += cost.flops * 1e-9 / peak;
    }
  }
  return work;
}

int64_t BenchRig::needed(int64_t keys) {
  KvCache& kv = compute_.runner().kv();
  int64_t bytes = 0;
  for (size_t g = 0; g < kv.spec().groups.size(); ++g)
    for (const PagePool* pool : {&kv.pool(g), &kv.index_pool(g)}) bytes += pool->max_pages() * pool->page_bytes();
  return static_cast<int64_t>(static_cast<double>(bytes) * static_cast<double>(keys) /
                              static_cast<double>(kv.limits().max_keys));
}

void BenchRig::forget() {
  sequence_.truncate(0);
  filled_ = 0;
  compute_.runner().kv().trim();
}

bool BenchRig::has_windows() {
  return std::ranges::any_of(compute_.runner().kv().spec().groups, [](const KvGroup& g) { return g.window > 0; });
}

// A sliding window does not go back.
void BenchRig::begin_at(int64_t depth) {
  if (depth < filled_ || has_windows()) filled_ = 0;
  sequence_.truncate(filled_);
  random_.extend(sequence_, depth);
  filled_ = depth;
}

}  // namespace skald
