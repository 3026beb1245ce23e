// matmul of every format on every tier of this machine, one thread: a row panel that stays in the cache, and a matrix larger
// than it. Bytes per second are the weights'; judge the large ones against `skald bench`'s read bandwidth.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/api/act_q8.h"
#include "kernels/api/tier.h"
#include "quant/made_up.h"
#include "quant/registry.h"

namespace skald {
namespace {

constexpr int64_t kDepth = 4096;

struct Case {
  const Tier* tier;
  const Format* format;
  int64_t n, m;
};

std::vector<float> numbers(int64_t n) {
  std::vector<float> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = static_cast<float>((i * 7919) % 1000) / 500 - 1;
  return out;
}

void run(benchmark::State& state, const Case& c) {
  const KernelTable table = build_kernel_table(c.tier->name);
  const int64_t row = c.format->bytes(kDepth);
  const std::vector<float> x = numbers(kDepth * c.m);
  const std::vector<std::byte> w = made_up_weights(*c.format, c.n * kDepth, 1);

  const ActFormat act = table.act[c.format->id];
  const int64_t stride = act == ActFormat::kQ8 ? act_q8_bytes(kDepth) : kDepth * (act == ActFormat::kBf16 ? 2 : 4);
  std::vector<std::byte> converted(static_cast<size_t>(stride * c.m));
  for (int64_t t = 0; t < c.m && act != ActFormat::kF32; ++t)
    (act == ActFormat::kQ8 ? table.quantize_q8 : table.to_bf16)(x.data() + t * kDepth, converted.data() + t * stride,
                                                                kDepth);
  const void* activations = act == ActFormat::kF32 ? static_cast<const void*>(x.data()) : converted.data();

  std::vector<float> y(static_cast<size_t>(c.n * c.m));
  const MatmulArgs args{.w = w.data(),
                        .w_stride = row,
                        .x = activations,
                        .x_stride = stride,
                        .y = y.data(),
                        .y_stride = c.n,
                        .n = c.n,
                        .m = c.m,
                        .k = kDepth};
  const MatmulFn own = table.matmul[c.format->id];
  for (auto _ : state) own ? own(args) : table.matmul_decoded(args, *c.format);
  state.SetBytesProcessed(state.iterations() * row * c.n);
  state.counters["mac/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * c.n * c.m * kDepth), benchmark::Counter::kIsRate);
}

const bool kRegistered = [] {
  for (const Tier* tier : tiers())
    for (const Format* format : formats())
      for (const auto& [n, m] : {std::pair<int64_t, int64_t>{16, 1}, {32768, 1}, {16, 8}, {16, 64}}) {
        if (!tier->supported()) continue;
        const std::string name = "matmul/" + std::string(format->name) + "/" + tier->name + "/" + std::to_string(n) + "x" +
                                 std::to_string(kDepth) + "x" + std::to_string(m);
        benchmark::RegisterBenchmark(name.c_str(), run, Case{tier, format, n, m});
      }
  return true;
}();

}  // namespace
}  // namespace skald
