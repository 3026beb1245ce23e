// Matmul over panels, of every format on every tier of this machine, one thread: matrices larger than the cache by few
// tokens (bytes per second are the weights'; judge them against `skald bench`'s read bandwidth) and a prompt (judge mac/s
// against half of the peaks it prints).
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/checked.h"
#include "kernels/api/act_q16.h"
#include "kernels/api/act_q8.h"
#include "kernels/api/tier.h"
#include "quant/made_up.h"
#include "quant/panels.h"
#include "quant/registry.h"
#include "tensor/buffer.h"

namespace skald {
namespace {

constexpr int64_t kDepth = 4096;

struct Case {
  const Tier* tier;
  const Format* format;
  int64_t n, m;
};

int64_t row_bytes(ActFormat act) {
  switch (act) {
    case ActFormat::kQ8:
      return act_q8_bytes(kDepth);
    case ActFormat::kQ16:
      return act_q16_bytes(kDepth);
    case ActFormat::kBf16:
      return kDepth * 2;
    case ActFormat::kF32:
      break;
  }
  return kDepth * 4;
}

// (m, kDepth) in the kernel's format; floats in pieces of columns, as prompts have them.
struct Activations {
  Buffer bytes;
  int64_t stride, chunk = 0;

  Activations(const KernelTable& table, ActFormat act, int64_t m) : stride(row_bytes(act)) {
    bytes = Buffer(stride * m);
    std::vector<float> x(static_cast<size_t>(kDepth));
    for (int64_t i = 0; i < kDepth; ++i) x[static_cast<size_t>(i)] = static_cast<float>((i * 7919) % 1000) / 500 - 1;
    if (act == ActFormat::kQ8 || act == ActFormat::kQ16) {
      const auto quantize = act == ActFormat::kQ8 ? table.quantize_q8 : table.quantize_q16;
      for (int64_t t = 0; t < m; ++t) quantize(x.data(), bytes.data() + t * stride, kDepth);
      return;
    }
    if (m == 1) return;
    stride = stride / kDepth * kChunkColumns;  // of zeros: what is multiplied does not matter
    chunk = stride * m;
  }
};

void run(benchmark::State& state, const Case& c) {
  const KernelTable table = build_kernel_table(c.tier->name);
  const PanelLayout& layout = *find_panels(*c.format);
  const int64_t row = c.format->bytes(kDepth);
  const std::vector<std::byte> rows = made_up_weights(*c.format, kPanelRows * kDepth, 1);
  const Buffer panels(layout.bytes(c.n, kDepth));
  for (int64_t p = 0; p < c.n / kPanelRows; ++p)
    layout.pack({rows.data(), row, kPanelRows, kDepth}, panels.data() + p * layout.panel_bytes(kDepth));
  const Activations x(table, table.packed_act[c.format->id], c.m);
  const Buffer y(c.n * c.m * 4);
  for (auto _ : state)
    table.packed_matmul[c.format->id]({.panels = panels.data(),
                                       .panel_stride = layout.panel_bytes(kDepth),
                                       .x = x.bytes.data(),
                                       .x_stride = x.stride,
                                       .x_chunk = x.chunk,
                                       .y = y.as<float>(),
                                       .y_stride = c.n,
                                       .n = c.n,
                                       .m = c.m,
                                       .k = kDepth});
  state.SetBytesProcessed(state.iterations() * panels.size());
  state.counters["mac/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * c.n * c.m * kDepth), benchmark::Counter::kIsRate);
}

const bool kRegistered = [] {
  for (const Tier* tier : tiers())
    for (const Format* format : formats())
      for (const auto& [n, m] :
           {std::pair<int64_t, int64_t>{64, 1}, {16384, 1}, {16384, 4}, {16384, 8}, {16384, 16}, {4096, 32}, {2048, 512}}) {
        if (!tier->supported() || tier->rank == 0 || !find_panels(*format)) continue;
        const std::string name = "packed_matmul/" + std::string(format->name) + "/" + tier->name + "/" + std::to_string(n) +
                                 "x" + std::to_string(kDepth) + "x" + std::to_string(m);
        benchmark::RegisterBenchmark(name.c_str(), run, Case{tier, format, n, m});
      }
  return true;
}();

}  // namespace
}  // namespace skald
