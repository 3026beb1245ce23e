#include "tools/bench/bench_rig.h"

#include <algorithm>
#include <chrono>

#include "sampling/sampler.h"
#include "stepping/pick.h"
#include "tools/bench/random_tokens.h"

namespace skald {

BenchRig::BenchRig(const LoadedModel& model, const EngineOptions& options, bool adapter_each)
    : sparq_(options.cache.sparq), compute_(model, options), random_(compute_) {
  const AdapterMix& all = compute_.runner().adapters();
  for (size_t i = 0; i < static_cast<size_t>(options.schedule.n_parallel); ++i) {
    sequences_.push_back({.kv = compute_.runner().new_sequence(), .adapters = all});
    if (adapter_each && !all.uses.empty()) sequences_.back().adapters = {{all.uses[i % all.uses.size()]}};
  }
}

double BenchRig::time(const BenchSteps& steps) {
  using Clock = std::chrono::steady_clock;
  const std::span<Sequence> sequences = std::span(sequences_).first(static_cast<size_t>(steps.batch));
  for (Sequence& sequence : sequences) begin_at(steps.depth, sequence);
  const auto start = Clock::now();
  for (int64_t done = 0; done < steps.n; done += steps.chunk)
    step(sequences, std::min(steps.chunk, steps.n - done), steps.decode);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Random tokens, and logits of each sequence's last one, as in generation.
void BenchRig::step(std::span<Sequence> sequences, int64_t n, bool decode) {
  Runner& runner = compute_.runner();
  items_.clear();
  for (Sequence& s : sequences) {
    draw_tokens(rng_, runner.n_vocab(), n, s.tokens);
    items_.push_back({.kv = &s.kv, .tokens = s.tokens, .n_outputs = 1, .decode = decode, .adapters = &s.adapters});
  }
  logits_ = runner.run(items_);
}

double BenchRig::time_sampling() {
  using Clock = std::chrono::steady_clock;
  constexpr int kTimes = 5;  // the first of them makes room
  std::vector<Sampler> samplers(static_cast<size_t>(logits_.rows()), Sampler({.seed = 1}));
  std::vector<double> seconds;
  for (int i = 0; i < kTimes; ++i) {
    const auto start = Clock::now();
    backend().share(logits_.rows(), [&](int64_t row) { pick(samplers[static_cast<size_t>(row)], logits_, row); });
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return *std::ranges::min_element(seconds);
}

BenchWork BenchRig::work(const BenchSteps& steps, const Roofline& roofline) {
  BenchWork work;
  Runner& runner = compute_.runner();
  for (int64_t done = 0; done < steps.n; done += steps.chunk) {
    const int64_t rows = std::min(steps.chunk, steps.n - done);
    const StepStats::Sequence each{rows, steps.depth + done + rows, steps.decode && sparq_.on() ? &sparq_ : nullptr};
    const std::vector<StepStats::Sequence> sequences(static_cast<size_t>(steps.batch), each);
    StepStats stats = runner.last_stats();  // for the cache's element sizes
    stats.n_tokens = rows * steps.batch;
    stats.n_outputs = steps.batch;
    stats.sequences = sequences;
    const Graph& graph = runner.program(stats.n_tokens, stats.n_outputs).graph();
    for (const Node& node : graph.nodes()) {
      if (node.source != Source::kOp) continue;
      const Cost cost = cost_of(graph, node, stats);
      work.bytes += cost.bytes;
      work.flops += cost.flops;
      if (const double peak = backend().meter().peak_of(graph, node, roofline); peak > 0)
        work.ideal_seconds += cost.flops * 1e-9 / peak;
    }
  }
  return work;
}

int64_t BenchRig::needed(int64_t keys, int64_t batch) {
  KvCache& kv = compute_.runner().kv();
  int64_t bytes = 0;
  for (size_t g = 0; g < kv.spec().groups.size(); ++g)
    for (const PagePool* pool : {&kv.pool(g), &kv.index_pool(g), &kv.open_pool(g)})
      bytes += pool->max_pages() * pool->page_bytes();
  return static_cast<int64_t>(static_cast<double>(bytes) * static_cast<double>(keys * batch) /
                              static_cast<double>(kv.limits().max_keys * kv.limits().n_sequences));
}

void BenchRig::forget() {
  for (Sequence& sequence : sequences_) {
    sequence.kv.clear();
    sequence.filled = 0;
  }
  compute_.runner().kv().trim();
}

bool BenchRig::has_windows() {
  return std::ranges::any_of(compute_.runner().kv().spec().groups, [](const KvGroup& g) { return g.window > 0; });
}

// A sliding window does not go back.
void BenchRig::begin_at(int64_t depth, Sequence& sequence) {
  if (depth < sequence.filled || has_windows() || !sequence.kv.truncate(sequence.filled)) sequence.filled = 0;
  if (sequence.filled == 0) sequence.kv.clear();
  random_.extend(sequence.kv, depth);
  sequence.filled = depth;
}

}  // namespace skald
