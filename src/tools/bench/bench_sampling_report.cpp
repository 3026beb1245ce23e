#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/bench/bench_sampling.h"
#include "tools/report/table.h"

namespace skald {

std::string sampling_bench_markdown(const SamplingBenchResult& r) {
  Table table{{"samplers", "us/token", "softmax (us)", "ratio", "tokens left"}, {}};
  for (const SamplingBenchRow& row : r.rows)
    table.rows.push_back({row.name, fmt::format("{:.1f}", row.chain_us), fmt::format("{:.1f}", row.softmax_us),
                          fmt::format("{:.2f}", row.ratio()), in_thousands(row.left)});
  return table.markdown() +
         fmt::format("\n{} normally distributed logits of standard deviation {}, one thread; medians of processor time\n",
                     in_thousands(r.n_vocab), r.spread);
}

std::string sampling_bench_csv(const SamplingBenchResult& r) {
  Table table{{"samplers", "n_vocab", "spread", "chain_us", "softmax_us", "ratio", "tokens_left"}, {}};
  for (const SamplingBenchRow& row : r.rows)
    table.rows.push_back({row.name, std::to_string(r.n_vocab), fmt::to_string(r.spread), fmt::format("{:.2f}", row.chain_us),
                          fmt::format("{:.2f}", row.softmax_us), fmt::format("{:.4f}", row.ratio()),
                          std::to_string(row.left)});
  return table.csv();
}

std::string sampling_bench_json(const SamplingBenchResult& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SamplingBenchRow& row : r.rows)
    rows.push_back({{"samplers", row.name},
                    {"n_vocab", r.n_vocab},
                    {"spread", r.spread},
                    {"chain_us", row.chain_us},
                    {"softmax_us", row.softmax_us},
                    {"ratio", row.ratio()},
                    {"tokens_left", row.left}});
  return rows.dump(2) + "\n";
}

}  // namespace skald
