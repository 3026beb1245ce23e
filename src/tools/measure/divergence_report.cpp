// Reports of a divergence: the statistics that llama.cpp prints, by its names.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tools/measure/divergence.h"
#include "tools/report/table.h"

namespace skald {
namespace {

/// Without an error: one of many values rather than a mean.
struct Statistic {
  std::string name, key;
  double value;
  std::optional<double> error = {};
  bool percent = false;
};

struct Share {
  double share;
  const char *name, *key;
};
constexpr std::array<Share, 7> kShares = {{{1, "Maximum", "max"},
                                           {0.999, "99.9 %", "p999"},
                                           {0.99, "99.0 %", "p99"},
                                           {0.9, "90.0 %", "p90"},
                                           {0.5, "Median", "median"},
                                           {0.1, "10.0 %", "p10"},
                                           {0, "Minimum", "min"}}};

void add_shares(std::vector<Statistic>& out, const std::string& name, const std::string& key, std::span<const float> values,
                bool percent) {
  for (const Share& s : kShares)
    out.push_back(
        {fmt::format("{} {}", s.name, name), fmt::format("{}_{}", key, s.key), quantile(values, s.share), {}, percent});
}

std::vector<Statistic> statistics(const DivergenceResult& r) {
  const double log_ratio = r.loss.difference().mean(), log_error = r.loss.difference().error();
  std::vector<Statistic> out = {{"Mean PPL(Q)", "perplexity", r.perplexity(), r.perplexity_error()},
                                {"Mean PPL(base)", "reference_perplexity", r.reference_perplexity(), r.reference_error()},
                                {"Cor(ln(PPL(Q)), ln(PPL(base)))", "correlation", r.loss.correlation(), {}, true},
                                {"Mean ln(PPL(Q)/PPL(base))", "log_ratio", log_ratio, log_error},
                                {"Mean PPL(Q)/PPL(base)", "ratio", std::exp(log_ratio), std::exp(log_ratio) * log_error},
                                {"Mean KLD", "divergence", r.divergence.mean(), r.divergence.error()}};
  add_shares(out, "KLD", "divergence", r.divergences, false);
  out.push_back({"Mean Δp", "delta_p", r.delta_p.mean(), r.delta_p.error(), true});
  add_shares(out, "Δp", "delta_p", r.deltas, true);
  out.push_back({"RMS Δp", "delta_p_rms", r.delta_p_rms(), r.delta_p_rms_error(), true});
  out.push_back({"Same top p", "same_top", r.same_top.mean(), r.same_top.error(), true});
  return out;
}

std::string shown(double value, bool percent) {
  return percent ? fmt::format("{:.3f} %", 100 * value) : fmt::format("{:.6f}", value);
}

}  // namespace

std::string divergence_markdown(const DivergenceResult& r) {
  Table table{{"statistic", "value", "+/-"}, {}};
  for (const Statistic& s : statistics(r))
    table.rows.push_back({s.name, shown(s.value, s.percent), s.error ? shown(*s.error, s.percent) : ""});
  return table.markdown() + fmt::format("\nPPL = {:.4f} +/- {:.5f}\n", r.perplexity(), r.perplexity_error());
}

std::string divergence_json(const DivergenceResult& r) {
  nlohmann::ordered_json out{
      {"model", r.model}, {"type", r.type}, {"n_ctx", r.n_ctx}, {"chunks", r.chunks}, {"tokens", r.divergence.count()}};
  for (const Statistic& s : statistics(r)) {
    out[s.key] = s.value;
    if (s.error) out[s.key + "_error"] = *s.error;
  }
  out["sparq_read"] = r.sparq.use.share();
  return out.dump(2) + "\n";
}

std::string divergence_csv(const DivergenceResult& r) {
  Table table{{"statistic", "value", "error"}, {}};
  for (const Statistic& s : statistics(r))
    table.rows.push_back({s.key, fmt::format("{:.8g}", s.value), s.error ? fmt::format("{:.8g}", *s.error) : ""});
  return table.csv();
}

}  // namespace skald
