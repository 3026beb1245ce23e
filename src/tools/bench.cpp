#include "tools/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "tools/random_kv.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;
using Say = std::function<void(const std::string&)>;

// A test, how long it took, and what it had to do.
struct Test {
  BenchRow row;
  int64_t chunk;                     // tokens of a step
  std::vector<double> seconds = {};  // per repetition
};

// By the operations' own costs.
struct Work {
  double bytes = 0, flops = 0;
  double ideal_seconds = 0;  // of the arithmetic at the machine's peaks
};

Roofline mean(const Roofline& a, const Roofline& b) {
  return {.read_gb_per_s = (a.read_gb_per_s + b.read_gb_per_s) / 2,
          .f32_gflop_per_s = (a.f32_gflop_per_s + b.f32_gflop_per_s) / 2,
          .bf16_gflop_per_s = (a.bf16_gflop_per_s + b.bf16_gflop_per_s) / 2,
          .int8_gop_per_s = (a.int8_gop_per_s + b.int8_gop_per_s) / 2};
}

// Mean and spread of the rates, and the shares of the machine's limits.
BenchRow settled(const Test& test, const Work& work, const Roofline& roofline) {
  BenchRow row = test.row;
  const auto n = static_cast<double>(test.seconds.size());
  std::vector<double> rates;
  rates.reserve(test.seconds.size());
  for (double s : test.seconds) rates.push_back(static_cast<double>(row.n_tokens) / s);
  row.tokens_per_s = std::accumulate(rates.begin(), rates.end(), 0.0) / n;
  double squares = 0;
  for (double r : rates) squares += (r - row.tokens_per_s) * (r - row.tokens_per_s);
  row.stddev = rates.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;

  const double seconds = static_cast<double>(row.n_tokens) / row.tokens_per_s;
  row.gb_per_s = work.bytes / seconds * 1e-9;
  row.gflop_per_s = work.flops / seconds * 1e-9;
  row.bandwidth_share = row.gb_per_s / roofline.read_gb_per_s;
  row.compute_share = work.ideal_seconds / seconds;
  return row;
}

class Bench {
 public:
  Bench(const LoadedModel& model, const BenchOptions& options, Say say)
      : model_(model),
        options_(options),
        say_(std::move(say)),
        compute_(model, with_room(options)),
        runner_(compute_.runner()) {}

  BenchResult run() {
    BenchResult result{.model = model_.name(),
                       .type = model_.main_format(),
                       .backend = compute_.backend().info(),
                       .roofline = measure(),
                       .rows = {}};
    for (int64_t depth : options_.depths) {
      for (int64_t n : options_.prefill)
        if (n) add("pp", n, depth, options_.compute.ubatch, result);
      for (int64_t n : options_.decode)
        if (n) add("tg", n, depth, 1, result);
    }
    return result;
  }

 private:
  static ComputeOptions with_room(const BenchOptions& o) {
    const auto most = [](const std::vector<int64_t>& v) { return v.empty() ? 0 : *std::ranges::max_element(v); };
    ComputeOptions compute = o.compute;
    compute.kv.max_keys = most(o.depths) + std::max(most(o.prefill), most(o.decode));
    return compute;
  }

  Roofline measure() {
    say_("measuring the machine");
    return compute_.backend().measure_roofline();
  }

  // The machine drifts: a test is judged by what it could do right before and after.
  void add(const char* kind, int64_t n, int64_t depth, int64_t chunk, BenchResult& result) {
    const Roofline before = result.roofline;
    const Test test = run_test(kind, n, depth, chunk);
    result.roofline = measure();
    const Roofline roofline = mean(before, result.roofline);
    result.rows.push_back(settled(test, work_of(test, roofline), roofline));
    result.rows.back().roofline = roofline;
  }

  Test run_test(const char* kind, int64_t n, int64_t depth, int64_t chunk) {
    say_(fmt::format("{} {} at depth {}", kind, n, depth));
    Test test{.row = {.test = kind, .n_tokens = n, .depth = depth, .threads = compute_.backend().info().threads},
              .chunk = chunk};
    KvSequence sequence = runner_.new_sequence();
    // A sliding window does not go back.
    const auto begin_at_depth = [&] {
      sequence.truncate(0);
      fill_random_kv(runner_, sequence, depth);
    };
    begin_at_depth();
    if (options_.warmup) append(sequence, std::min(n, chunk), chunk);
    for (int r = 0; r < options_.repetitions; ++r) {
      if (has_windows())
        begin_at_depth();
      else
        sequence.truncate(depth);
      const auto start = Clock::now();
      append(sequence, n, chunk);
      test.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      say_(fmt::format("{} {} at depth {}: {} of {}, {:.2f} tokens/s", kind, n, depth, r + 1, options_.repetitions,
                       static_cast<double>(n) / test.seconds.back()));
    }
    return test;
  }

  bool has_windows() const {
    return std::ranges::any_of(runner_.kv().spec().groups, [](const KvGroup& g) { return g.window > 0; });
  }

  // n random tokens in steps of `chunk`, with logits of each step's last token, as in generation.
  void append(KvSequence& sequence, int64_t n, int64_t chunk) {
    for (int64_t done = 0; done < n; done += chunk) {
      tokens_.resize(static_cast<size_t>(std::min(chunk, n - done)));
      for (TokenId& t : tokens_) t = static_cast<TokenId>(rng_.next() % static_cast<uint64_t>(model_.n_vocab()));
      const StepItem item{&sequence, tokens_, 1};
      runner_.run({&item, 1});
    }
  }

  Work work_of(const Test& test, const Roofline& roofline) {
    Work work;
    for (int64_t done = 0; done < test.row.n_tokens; done += test.chunk) {
      const int64_t rows = std::min(test.chunk, test.row.n_tokens - done);
      const StepStats::Sequence sequence{rows, test.row.depth + done + rows};
      StepStats stats = runner_.last_stats();  // for the cache's element sizes
      stats.n_tokens = rows;
      stats.n_outputs = 1;
      stats.sequences = {&sequence, 1};
      add_step(runner_.program(rows, 1).graph(), stats, roofline, work);
    }
    return work;
  }

  void add_step(const Graph& graph, const StepStats& stats, const Roofline& roofline, Work& work) {
    for (const Node& node : graph.nodes()) {
      if (node.source != Source::kOp) continue;
      const Cost cost = cost_of(graph, node, stats);
      work.bytes += cost.bytes;
      work.flops += cost.flops;
      work.ideal_seconds += cost.flops * 1e-9 / compute_.backend().peak_of(graph, node, roofline);
    }
  }

  const LoadedModel& model_;
  BenchOptions options_;
  Say say_;
  Compute compute_;
  Runner& runner_;
  Rng rng_{1};
  std::vector<TokenId> tokens_;
};

}  // namespace

BenchResult run_bench(const LoadedModel& model, const BenchOptions& options, const Say& progress) {
  return Bench(
             model, options, progress ? progress : [](const std::string&) {})
      .run();
}

}  // namespace skald
