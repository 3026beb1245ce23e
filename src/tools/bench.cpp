#include "tools/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "backend/cpu/cpu_backend.h"
#include "base/cpu_features.h"
#include "kernels/api/tier.h"
#include "sampling/rng.h"
#include "tools/random_kv.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;
using Say = std::function<void(const std::string&)>;

// What a test has to do, by the operations' own costs, and how long it took.
struct Test {
  BenchRow row;
  double bytes = 0, flops = 0;
  double f32_flops = 0, bf16_flops = 0, int8_flops = 0;  // by the peak that bounds them
  std::vector<double> seconds = {};                      // per repetition
};

Roofline better(const Roofline& a, const Roofline& b) {
  return {.read_gb_per_s = std::max(a.read_gb_per_s, b.read_gb_per_s),
          .f32_gflop_per_s = std::max(a.f32_gflop_per_s, b.f32_gflop_per_s),
          .bf16_gflop_per_s = std::max(a.bf16_gflop_per_s, b.bf16_gflop_per_s),
          .int8_gop_per_s = std::max(a.int8_gop_per_s, b.int8_gop_per_s)};
}

// Mean and spread of the rates, and the shares of the machine's limits.
BenchRow settled(const Test& test, const Roofline& roofline) {
  BenchRow row = test.row;
  const auto n = static_cast<double>(test.seconds.size());
  std::vector<double> rates;
  for (double s : test.seconds) rates.push_back(static_cast<double>(row.n_tokens) / s);
  row.tokens_per_s = std::accumulate(rates.begin(), rates.end(), 0.0) / n;
  double squares = 0;
  for (double r : rates) squares += (r - row.tokens_per_s) * (r - row.tokens_per_s);
  row.stddev = rates.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;

  const double seconds = static_cast<double>(row.n_tokens) / row.tokens_per_s;
  row.gb_per_s = test.bytes / seconds * 1e-9;
  row.gflop_per_s = test.flops / seconds * 1e-9;
  row.bandwidth_share = row.gb_per_s / roofline.read_gb_per_s;
  const auto ideal = [](double flops, double peak) { return flops > 0 ? flops * 1e-9 / peak : 0; };
  row.compute_share = (ideal(test.f32_flops, roofline.f32_gflop_per_s) + ideal(test.bf16_flops, roofline.bf16_gflop_per_s) +
                       ideal(test.int8_flops, roofline.int8_gop_per_s)) / seconds;
  return row;
}

class Bench {
 public:
  Bench(const LoadedModel& model, const BenchOptions& options, Say say)
      : model_(model),
        options_(options),
        say_(std::move(say)),
        backend_(options.threads ? options.threads : usable_cpus(), isa_from_environment()),
        runner_(model, backend_, with_room(options)) {}

  BenchResult run() {
    say_("measuring the machine");
    const Roofline before = measure_roofline(backend_.pool());
    std::vector<Test> tests;
    for (int64_t depth : options_.depths) {
      for (int64_t n : options_.prefill)
        if (n) tests.push_back(run_test("pp", n, depth, options_.ubatch));
      for (int64_t n : options_.decode)
        if (n) tests.push_back(run_test("tg", n, depth, 1));
    }
    say_("measuring the machine again");
    BenchResult result{.model = model_.name(),
                       .type = model_.main_format(),
                       .isa = backend_.kernels().tier,
                       .cpu = cpu_name(),
                       .roofline = better(before, measure_roofline(backend_.pool())),
                       .rows = {}};
    for (const Test& test : tests) result.rows.push_back(settled(test, result.roofline));
    return result;
  }

 private:
  static KvOptions with_room(const BenchOptions& o) {
    const auto most = [](const std::vector<int64_t>& v) { return v.empty() ? 0 : *std::ranges::max_element(v); };
    KvOptions kv = o.kv;
    kv.max_keys = most(o.depths) + std::max(most(o.prefill), most(o.decode));
    return kv;
  }

  Test run_test(const char* kind, int64_t n, int64_t depth, int64_t chunk) {
    say_(fmt::format("{} {} at depth {}", kind, n, depth));
    Test test{.row = {.test = kind, .n_tokens = n, .depth = depth, .threads = backend_.pool().size()}};
    count_work(test, chunk);
    KvSequence sequence = runner_.new_sequence();
    fill_random_kv(runner_, sequence, depth);
    if (options_.warmup) append(sequence, std::min(n, chunk), chunk);
    for (int r = 0; r < options_.repetitions; ++r) {
      sequence.truncate(depth);
      const auto start = Clock::now();
      append(sequence, n, chunk);
      test.seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
      say_(fmt::format("{} {} at depth {}: {} of {}, {:.2f} tokens/s", kind, n, depth, r + 1, options_.repetitions,
                       static_cast<double>(n) / test.seconds.back()));
    }
    return test;
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

  void count_work(Test& test, int64_t chunk) {
    for (int64_t done = 0; done < test.row.n_tokens; done += chunk) {
      const int64_t rows = std::min(chunk, test.row.n_tokens - done);
      const StepStats::Sequence sequence{rows, test.row.depth + done + rows};
      StepStats stats = runner_.last_stats();  // for the cache's element sizes
      stats.n_tokens = rows;
      stats.n_outputs = 1;
      stats.sequences = {&sequence, 1};
      count_step(test, runner_.program(rows, 1).graph(), stats);
    }
  }

  void count_step(Test& test, const Graph& graph, const StepStats& stats) const {
    for (const Node& node : graph.nodes()) {
      if (node.source != Source::kOp) continue;
      const Cost cost = cost_of(graph, node, stats);
      test.bytes += cost.bytes;
      test.flops += cost.flops;
      bounded_by(test, graph, node) += cost.flops;
    }
  }

  double& bounded_by(Test& test, const Graph& graph, const Node& node) const {
    if (node.op->name != "linear") return test.f32_flops;
    switch (backend_.kernels().act[graph.node(node.inputs[1]).out.format->id]) {
      case ActFormat::kQ8: return test.int8_flops;
      case ActFormat::kBf16: return test.bf16_flops;
      case ActFormat::kF32: break;
    }
    return test.f32_flops;
  }

  const LoadedModel& model_;
  BenchOptions options_;
  Say say_;
  CpuBackend backend_;
  Runner runner_;
  Rng rng_{1};
  std::vector<TokenId> tokens_;
};

}  // namespace

BenchResult run_bench(const LoadedModel& model, const BenchOptions& options, const Say& progress) {
  return Bench(model, options, progress ? progress : [](const std::string&) {}).run();
}

}  // namespace skald
