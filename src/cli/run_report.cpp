#include "cli/run_report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "tools/table.h"

namespace skald {
namespace {

double mib(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

// The most memory that the process had resident, pages of mapped weights included.
int64_t peak_bytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

}  // namespace

void print_timings(const Result& result, const MemoryUse& memory) {
  const auto rate = [](int64_t n, double s) { return s > 0 ? static_cast<double>(n) / s : 0; };
  const Timing& t = result.timing;
  // The first token comes out of the prompt's last step.
  const int64_t decoded = std::max<int64_t>(t.n_generated - 1, 0);
  fmt::print(stderr, "prompt:   {:6} tokens in {:8.1f} ms, {:8.2f} tokens/s\n", t.n_prompt, t.prompt_seconds * 1e3,
             rate(t.n_prompt, t.prompt_seconds));
  fmt::print(stderr, "generate: {:6} tokens in {:8.1f} ms, {:8.2f} tokens/s\n", decoded, t.generate_seconds * 1e3,
             rate(decoded, t.generate_seconds));
  fmt::print(stderr,
             "memory:   weights {:.1f} MiB, keys {:.1f} MiB, values {:.1f} MiB, work {:.1f} MiB; peak {:.1f} MiB; seed {}\n",
             mib(memory.weights), mib(memory.keys()), mib(memory.values()), mib(memory.work), mib(peak_bytes()),
             result.seed);
}

void print_kv_report(const MemoryUse& memory) {
  Table table{.header = {"layers", "window", "pages", "keys MiB", "values MiB"}, .rows = {}};
  const auto add = [&](std::string layers, std::string window, int64_t pages, int64_t keys, int64_t values) {
    table.rows.push_back({std::move(layers), std::move(window), std::to_string(pages), fmt::format("{:.2f}", mib(keys)),
                          fmt::format("{:.2f}", mib(values))});
  };
  for (const MemoryUse::KvGroup& g : memory.kv)
    add(std::to_string(g.layers), g.window ? std::to_string(g.window) : "all", g.pages, g.keys, g.values);
  fmt::print(stderr, "KV cache: {}; the most that was held\n{}", memory.kv_storage, table.markdown());
}

}  // namespace skald
