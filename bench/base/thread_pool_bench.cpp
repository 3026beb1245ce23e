// ThreadPool: what an empty fork-join costs, hot, with as many workers that sit out, and after the workers have parked.
#include "base/thread_pool.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <thread>

#include "base/cpu_features.h"

namespace skald {
namespace {

void fork_join(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) pool.run([](int thread) { benchmark::DoNotOptimize(thread); });
}

void fork_join_of_half(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  ThreadPool pool(2 * threads);
  pool.set_size(threads);
  for (auto _ : state) pool.run([](int thread) { benchmark::DoNotOptimize(thread); });
}

// The idle millisecond before each run lets the workers park; only the run is timed.
void fork_join_after_parking(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto start = std::chrono::steady_clock::now();
    pool.run([](int thread) { benchmark::DoNotOptimize(thread); });
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
}

void thread_counts(benchmark::internal::Benchmark* bench) {
  for (int threads = 1; threads < usable_cpus(); threads *= 2) bench->Arg(threads);
  bench->Arg(usable_cpus());
}

BENCHMARK(fork_join)->Apply(thread_counts)->Arg(2 * usable_cpus())->Repetitions(12)->ReportAggregatesOnly()->UseRealTime();
BENCHMARK(fork_join_of_half)->Apply(thread_counts)->Repetitions(12)->ReportAggregatesOnly()->UseRealTime();
BENCHMARK(fork_join_after_parking)
    ->Apply(thread_counts)
    ->Iterations(200)
    ->Repetitions(3)
    ->ReportAggregatesOnly()
    ->UseManualTime();

}  // namespace
}  // namespace skald
