#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/bench/bench_spec.h"
#include "tools/report/draft_words.h"
#include "tools/report/table.h"

namespace skald {
std::string spec_bench_markdown(const SpecBenchResult& r) {
  Table table{{"test", "depth", "guesses", "tokens/s without", "with", "speed-up", "tokens/step", "guessed", "right",
               "right by place (%)"},
              {}};
  for (const SpecBenchRow& row : r.rows)
    table.rows.push_back({fmt::format("tg {}", row.n_tokens), std::to_string(row.depth), r.kind,
                          fmt::format("{:.2f}", row.plain_tokens_per_s), fmt::format("{:.2f}", row.tokens_per_s),
                          fmt::format("{:.2f}", row.speedup), fmt::format("{:.2f}", row.tokens_per_step),
                          std::to_string(row.drafts.guessed),
                          fmt::format("{:.0f}%", percent_right(row.drafts.right, row.drafts.guessed)),
                          row.drafts.guessed ? percent_by_place(row.drafts, " ") : "-"});
  return table.markdown() + fmt::format("\n{}; up to {} guesses a step\n", r.model, r.most);
}

std::string spec_bench_csv(const SpecBenchResult& r) {
  Table table{{"model", "kind", "draft_max", "depth", "n_tokens", "plain_tokens_per_s", "tokens_per_s", "speedup",
               "tokens_per_step", "draft_n", "draft_n_accepted"},
              {}};
  for (const SpecBenchRow& row : r.rows)
    table.rows.push_back({r.model, r.kind, std::to_string(r.most), std::to_string(row.depth), std::to_string(row.n_tokens),
                          fmt::format("{:.3f}", row.plain_tokens_per_s), fmt::format("{:.3f}", row.tokens_per_s),
                          fmt::format("{:.3f}", row.speedup), fmt::format("{:.3f}", row.tokens_per_step),
                          std::to_string(row.drafts.guessed), std::to_string(row.drafts.right)});
  return table.csv();
}

std::string spec_bench_json(const SpecBenchResult& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SpecBenchRow& row : r.rows) {
    nlohmann::ordered_json places = nlohmann::ordered_json::array();
    for (const DraftUse::Place& p : row.drafts.places)
      places.push_back({{"draft_n", p.guessed}, {"draft_n_accepted", p.right}});
    rows.push_back({{"model", r.model},
                    {"test", "spec"},
                    {"kind", r.kind},
                    {"draft_max", r.most},
                    {"depth", row.depth},
                    {"n_tokens", row.n_tokens},
                    {"plain_tokens_per_s", row.plain_tokens_per_s},
                    {"tokens_per_s", row.tokens_per_s},
                    {"speedup", row.speedup},
                    {"tokens_per_step", row.tokens_per_step},
                    {"draft_n", row.drafts.guessed},
                    {"draft_n_accepted", row.drafts.right},
                    {"places", std::move(places)}});
  }
  return rows.dump(2) + "\n";
}

}  // namespace skald
