#include "tools/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/memory.h"
#include "quant/registry.h"
#include "stepping/cache_options.h"
#include "tools/bench/bench_rig.h"

namespace skald {
namespace {

using Say = std::function<void(const std::string&)>;

// Mean and spread of the rates, and the shares of the machine's limits.
BenchRow finished(BenchRow row, const std::vector<double>& seconds, const BenchWork& work, const Roofline& roofline) {
  const auto n = static_cast<double>(seconds.size()), tokens = static_cast<double>(row.n_tokens * row.batch);
  std::vector<double> rates;
  rates.reserve(seconds.size());
  for (double s : seconds) rates.push_back(tokens / s);
  row.tokens_per_s = std::accumulate(rates.begin(), rates.end(), 0.0) / n;
  double squares = 0;
  for (double r : rates) squares += (r - row.tokens_per_s) * (r - row.tokens_per_s);
  row.stddev = rates.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;

  const double mean_seconds = tokens / row.tokens_per_s;
  row.gb_per_s = work.bytes / mean_seconds * 1e-9;
  row.gflop_per_s = work.flops / mean_seconds * 1e-9;
  row.bandwidth_share = share_of(row.gb_per_s, roofline.read_gb_per_s);
  row.compute_share = work.ideal_seconds / mean_seconds;
  row.roofline = roofline;
  return row;
}

class Bench {
 public:
  Bench(const LoadedModel& model, const BenchOptions& options, Say say)
      : model_(model), options_(options), say_(std::move(say)), dense_(model, with_room(options, {}), options.adapter_each) {
    const SparqParams& sparq = options.compute.cache.sparq;
    if (sparq.on()) sparse_.emplace(model, with_room(options, sparq), options.adapter_each);
  }

  BenchResult run() {
    BenchResult result{.model = model_.name(),
                       .type = model_.main_format(),
                       .options = options_,
                       .backend = dense_.backend().info(),
                       .roofline = measure(),
                       .rows = {}};
    for (int64_t depth : options_.depths) {
      for (int64_t n : options_.prefill)  // dense in any case
        if (n) add("pp", {.depth = depth, .n = n, .chunk = options_.compute.schedule.step_rows()}, {&dense_}, result);
      for (int64_t n : options_.decode)
        for (int64_t batch : options_.batches)
          if (n) add("tg", {.depth = depth, .n = n, .decode = true, .batch = batch}, decoders(), result);
    }
    return result;
  }

 private:
  using Rigs = std::vector<BenchRig*>;

  // Dense decoding is timed as it is without sparse decoding beside it, which wants another layout of the cache.
  static EngineOptions with_room(const BenchOptions& o, const SparqParams& sparq) {
    const auto most = [](const std::vector<int64_t>& v) { return v.empty() ? 0 : *std::ranges::max_element(v); };
    EngineOptions compute = o.compute;
    compute.cache.n_ctx = most(o.depths) + std::max(most(o.prefill), most(o.decode));
    compute.schedule.n_parallel = std::max<int64_t>(most(o.batches), 1);
    compute.cache.sparq = sparq;
    return compute;
  }

  Rigs decoders() {
    Rigs rigs = {&dense_};
    if (sparse_) rigs.push_back(&*sparse_);
    return rigs;
  }

  Roofline measure() {
    if (options_.roofline_seconds <= 0) return {};
    say_("measuring the machine");
    return dense_.backend().meter().measure(options_.roofline_seconds);
  }

  // The machine drifts: a test is judged by its peaks right before and after.
  void add(const char* kind, const BenchSteps& steps, const Rigs& rigs, BenchResult& result) {
    const Roofline before = result.roofline;
    const std::vector<std::vector<double>> seconds = time(kind, steps, rigs);
    result.roofline = measure();
    const Roofline roofline = mean(before, result.roofline);
    const BenchWork dense_work = dense_.work(steps, roofline);
    for (size_t i = 0; i < rigs.size(); ++i) {
      const BenchWork work = rigs[i] == &dense_ ? dense_work : rigs[i]->work(steps, roofline);
      const int threads = steps.decode ? result.backend.threads_for(steps.batch) : result.backend.threads_batch;
      BenchRow row{.test = kind,
                   .n_tokens = steps.n,
                   .depth = steps.depth,
                   .batch = steps.batch,
                   .ubatch = options_.compute.schedule.step_rows(),
                   .threads = threads};
      row = finished(row, seconds[i], work, roofline);
      row.sampling_ms = 1e3 * rigs[i]->time_sampling();
      row.peak_bytes = peak_memory();
      if (rigs[i] != &dense_) compare(row, result.rows.back(), dense_work.bytes / work.bytes);
      result.rows.push_back(row);
    }
  }

  void compare(BenchRow& row, const BenchRow& dense, double transfer) const {
    const AttentionState layer = attention_states(model_.states()).front();
    const SparqParams::Choice choice = sparq_choice(layer, row.depth + row.n_tokens);
    row.sparse = true;
    row.k1 = choice.k1;
    row.k2 = std::min(choice.k2, row.depth + row.n_tokens);
    row.speedup = row.tokens_per_s / dense.tokens_per_s;
    row.transfer_speedup = transfer;
  }

  SparqParams::Choice sparq_choice(const AttentionState& layer, int64_t keys) const {
    const CacheOptions& cache = options_.compute.cache;
    const auto bytes = [](const std::string& type) { return find_format(type)->bytes_per_number(); };
    KeySize size{layer.d_k, layer.d_v, key_number_bytes(cache.type_k), bytes(cache.type_v)};
    size.component_bytes = component_bytes(cache.sparq, size);
    return cache.sparq.choose(keys, size);
  }

  // Of each rig, per repetition. They take turns, so that the machine's moods hit all alike.
  std::vector<std::vector<double>> time(const char* kind, const BenchSteps& steps, const Rigs& rigs) {
    BenchSteps warmup = steps;
    warmup.n = std::min(steps.n, steps.chunk);
    std::vector<std::vector<double>> seconds(rigs.size());
    for (int r = 0; r < options_.repetitions; ++r)
      for (size_t i = 0; i < rigs.size(); ++i) {
        BenchRig& rig = *rigs[i];
        const std::string test = fmt::format("{} {} at depth {}{}{}", kind, steps.n, steps.depth,
                                             steps.batch > 1 ? fmt::format(", {} sequences", steps.batch) : "",
                                             &rig == &dense_ ? "" : ", sparse");
        say_(test);
        make_room(rig, steps);
        if (options_.warmup && (r == 0 || rig.held() == 0)) rig.time(warmup);
        seconds[i].push_back(rig.time(steps));
        say_(fmt::format("{}: {} of {}, {:.2f} tokens/s", test, r + 1, options_.repetitions,
                         static_cast<double>(steps.n * steps.batch) / seconds[i].back()));
      }
    return seconds;
  }

  // Where the memory does not suffice for both caches, they take turns too, and are filled again.
  void make_room(BenchRig& rig, const BenchSteps& steps) {
    if (!sparse_) return;
    const int64_t keys = steps.depth + steps.n;
    const int64_t needed = dense_.needed(keys, steps.batch) + sparse_->needed(keys, steps.batch);
    const int64_t available = available_memory() / 16 * 15 - model_.file_bytes() + dense_.held() + sparse_->held();
    if (needed > available) (&rig == &dense_ ? *sparse_ : dense_).forget();
  }

  const LoadedModel& model_;
  BenchOptions options_;
  Say say_;
  BenchRig dense_;
  std::optional<BenchRig> sparse_;  // none: decoding is dense only
};

}  // namespace

BenchResult run_bench(const LoadedModel& model, const BenchOptions& options, const Say& progress) {
  return Bench(
             model, options, progress ? progress : [](const std::string&) {})
      .run();
}

}  // namespace skald
