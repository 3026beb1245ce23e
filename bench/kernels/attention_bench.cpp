// What decoding does with a page of 64 keys and values of 128 numbers, on every tier of this machine, one thread, hot:
// scores by rows and by dimensions, softmax, weighted sums of values, for cache formats and query heads of a group. Bytes
// are the cache's; `skald bench attention` tells the rate at which memory gives them.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "kernels/api/act_q8.h"
#include "kernels/api/tier.h"
#include "quant/registry.h"
#include "tensor/buffer.h"

namespace skald {
namespace {

constexpr int64_t kDim = 128;

// As the engine's scratch, they begin at a line: a vector of 64 bytes elsewhere is read from two.
Buffer numbers(int64_t n) {
  Rng rng(1);
  Buffer x(n * static_cast<int64_t>(sizeof(float)));
  for (int64_t i = 0; i < n; ++i) x.as<float>()[i] = static_cast<float>(rng.uniform() - 0.5);
  return x;
}

/// A page, whose keys lie as `pieces` of `length` numbers (rows or dimensions), and a group's queries and weights.
struct Page {
  Page(const KernelTable& kernels, const Format& format, int64_t n_heads, int64_t pieces, int64_t length)
      : group(n_heads),
        stride(format.bytes(length)),
        bytes(pieces * stride),
        memory(2 * bytes),
        codes(n_heads * act_q8_bytes(kDim)) {
    format.encode(numbers(pieces * length).as<float>(), memory.data(), pieces * length);
    for (int64_t i = 0; i < pieces; ++i) rows.push_back(memory.data() + i * stride);
    for (int64_t i = 0; i < kRowsAhead; ++i) rows.push_back(next().first + i * stride);
    for (int64_t g = 0; g < group; ++g)
      kernels.quantize_q8(q.as<float>() + g * kDim, codes.data() + g * act_q8_bytes(kDim), kDim);
  }
  NextPage next() const { return {memory.data() + bytes, bytes}; }

  int64_t group, stride, bytes;
  Buffer memory;  // the page and the one after it
  std::vector<const std::byte*> rows;
  Buffer q = numbers(group * kDim), scores = numbers(group * kPageKeys), out = numbers(group * kDim);
  Buffer codes;
};

template <class Call>
void time_page(benchmark::State& state, const Page& page, Call call) {
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * page.bytes);
}

void run_row_scores(benchmark::State& state, const KernelTable& kernels, const Format& format, int64_t group) {
  Page page(kernels, format, group, kPageKeys, kDim);
  const bool integers = kernels.score_act[format.id] == ActFormat::kQ8;
  time_page(state, page, [&] {
    kernels.row_scores[format.id]({.q = integers ? static_cast<const void*>(page.codes.data()) : page.q.as<float>(),
                                   .q_stride = integers ? act_q8_bytes(kDim) : kDim * static_cast<int64_t>(sizeof(float)),
                                   .group = group,
                                   .rows = page.rows.data(),
                                   .n = kPageKeys,
                                   .d = kDim,
                                   .scores = page.scores.as<float>(),
                                   .scores_stride = kPageKeys,
                                   .next = page.next()});
  });
}

void run_dim_scores(benchmark::State& state, const KernelTable& kernels, const Format& format, int64_t group) {
  Page page(kernels, format, group, kDim, kPageKeys);
  time_page(state, page, [&] {
    kernels.dim_scores[format.id]({.q = page.q.as<float>(),
                                   .q_stride = kDim,
                                   .group = group,
                                   .keys = page.memory.data(),
                                   .k_stride = page.stride,
                                   .next = page.next(),
                                   .n = kPageKeys,
                                   .d = kDim,
                                   .scores = page.scores.as<float>(),
                                   .scores_stride = kPageKeys});
  });
}

void run_values(benchmark::State& state, const KernelTable& kernels, const Format& format, int64_t group) {
  Page page(kernels, format, group, kPageKeys, kDim);
  time_page(state, page, [&] {
    kernels.values[format.id]({.p = page.scores.as<float>(),
                               .p_stride = kPageKeys,
                               .group = group,
                               .rows = page.rows.data(),
                               .n = kPageKeys,
                               .d = kDim,
                               .out = page.out.as<float>(),
                               .out_stride = kDim,
                               .next = page.next()});
  });
}

void run_softmax(benchmark::State& state, const KernelTable& kernels, const Format& format, int64_t group) {
  Page page(kernels, format, group, kPageKeys, kDim);
  std::vector<float> max(static_cast<size_t>(group), 1.0f), sum(static_cast<size_t>(group));
  time_page(state, page, [&] {
    kernels.softmax({.scores = page.scores.as<float>(),
                     .scores_stride = kPageKeys,
                     .rows = group,
                     .n = kPageKeys,
                     .max = max.data(),
                     .sum = sum.data(),
                     .out = page.out.as<float>(),
                     .out_stride = kDim,
                     .d = kDim});
  });
}

using Run = void (*)(benchmark::State&, const KernelTable&, const Format&, int64_t);

void add(const Tier& tier, const char* kernel, const Format& format, int64_t group, Run run) {
  const std::string name =
      std::string(kernel) + "/" + tier.name + "/" + std::string(format.name) + "/" + std::to_string(group);
  benchmark::RegisterBenchmark(name.c_str(), [&tier, &format, group, run](benchmark::State& state) {
    run(state, build_kernel_table(tier.name), format, group);
  });
}

const bool kRegistered = [] {
  for (const Tier* tier : tiers())
    for (const char* name : {"f32", "f16", "bf16", "q8_0", "q4_0"})
      for (int64_t group : {1, 2, 3, 4, 7, 8}) {
        if (!tier->supported()) continue;
        const Format& format = *find_format(name);
        add(*tier, "row_scores", format, group, run_row_scores);
        if (format.block == 1) add(*tier, "dim_scores", format, group, run_dim_scores);
        add(*tier, "values", format, group, run_values);
        if (format.id == format_f16.id) add(*tier, "softmax", format, group, run_softmax);
      }
  return true;
}();

}  // namespace
}  // namespace skald
