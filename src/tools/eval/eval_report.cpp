// Reports of an evaluation.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tools/eval/evaluate.h"
#include "tools/report/plot.h"
#include "tools/report/table.h"

namespace skald {

namespace {

using Cells = std::vector<std::string>;

const Cells kQuestion = {"suite", "form", "length", "cache", "attention", "cases"}, kScore = {"right, %", "+/-"},
            kPrediction = {"loss, nats", "loss +/-", "perplexity", "from dense, nats", "dense +/-"},
            kCost = {"tokens/s", "KV MB/token"};

Cells question(const EvalResult& r, const EvalRow& row) {
  return {row.suite, r.form, std::to_string(row.length), row.cache, row.method, std::to_string(row.cases())};
}
// One case says nothing about others: its error is not known.
std::string error_of(const MeanError& mean, double scale, int digits) {
  return mean.count() < 2 ? "" : fmt::format("{:.{}f}", scale * mean.error(), digits);
}
Cells score(const EvalRow& r) { return {fmt::format("{:.1f}", 100 * r.score.mean()), error_of(r.score, 100, 1)}; }
Cells prediction(const EvalRow& r) {
  return {fmt::format("{:.4f}", r.loss.mean()), error_of(r.loss, 1, 4), fmt::format("{:.3f}", r.perplexity()),
          fmt::format("{:.5f}", r.divergence.mean()), error_of(r.divergence, 1, 5)};
}
Cells cost(const EvalRow& r) {
  return {fmt::format("{:.2f}", r.tokens_per_s()), fmt::format("{:.3f}", r.bytes_per_token() * 1e-6)};
}

Cells joined(std::initializer_list<Cells> parts) {
  Cells out;
  for (const Cells& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Table scores(const EvalResult& r) {
  Table table{joined({kQuestion, kScore, kCost}), {}};
  for (const EvalRow& row : r.rows)
    if (!row.predicts()) table.rows.push_back(joined({question(r, row), score(row), cost(row)}));
  return table;
}

Table predictions(const EvalResult& r) {
  Table table{joined({kQuestion, kPrediction, kCost}), {}};
  for (const EvalRow& row : r.rows)
    if (row.predicts()) table.rows.push_back(joined({question(r, row), prediction(row), cost(row)}));
  return table;
}

}  // namespace

std::string eval_markdown(const EvalResult& r) {
  const Table answered = scores(r), predicted = predictions(r);
  if (predicted.rows.empty()) return answered.markdown();
  return answered.rows.empty() ? predicted.markdown() : answered.markdown() + "\n" + predicted.markdown();
}

// One table: columns that a suite has not are empty.
std::string eval_csv(const EvalResult& r) {
  Table table{joined({kQuestion, kScore, kPrediction, kCost}), {}};
  for (const EvalRow& row : r.rows)
    table.rows.push_back(joined({question(r, row), row.predicts() ? Cells(kScore.size()) : score(row),
                                 row.predicts() ? prediction(row) : Cells(kPrediction.size()), cost(row)}));
  return table.csv();
}

static nlohmann::ordered_json json_of(const EvalRow& row) {
  nlohmann::ordered_json out{
      {"suite", row.suite}, {"length", row.length}, {"cache", row.cache}, {"attention", row.method}, {"cases", row.cases()}};
  const auto add = [&](const std::string& name, const MeanError& mean) {
    out[name] = mean.mean();
    out[name + "_error"] = mean.count() < 2 ? nlohmann::ordered_json() : nlohmann::ordered_json(mean.error());
  };
  if (row.predicts()) {
    add("loss", row.loss);
    out["perplexity"] = row.perplexity();
    add("divergence", row.divergence);
  } else {
    add("score", row.score);
  }
  out["tokens"] = row.tokens;
  out["tokens_per_s"] = row.tokens_per_s();
  out["kv_bytes_per_token"] = row.bytes_per_token();
  return out;
}

std::string eval_json(const EvalResult& r) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const EvalRow& row : r.rows) rows.push_back(json_of(row));
  return nlohmann::ordered_json{{"model", r.model}, {"type", r.type}, {"form", r.form}, {"seed", r.seed}, {"rows", rows}}
             .dump(2) +
         "\n";
}

namespace {

/// A figure that is drawn of the rows that have it.
struct Measure {
  const char *title, *note, *axis;
  bool predicted;
  double (*of)(const EvalRow&);
};

constexpr Measure kRight{"right answers", "the mean of the suites", "right, %", false,
                         [](const EvalRow& r) { return 100 * r.score.mean(); }};
constexpr Measure kDivergence{"divergence from dense attention", "of the probabilities of 64 tokens after each text",
                              "divergence, nats", true, [](const EvalRow& r) { return r.divergence.mean(); }};
constexpr Measure kLoss{"loss", "of 64 tokens after each text", "loss, nats", true,
                        [](const EvalRow& r) { return r.loss.mean(); }};

const Measure& measure_of(const EvalResult& r) {
  if (std::ranges::any_of(r.rows, [](const EvalRow& row) { return !row.predicts(); })) return kRight;
  return std::ranges::any_of(r.rows, [](const EvalRow& row) { return row.method != "dense"; }) ? kDivergence : kLoss;
}

}  // namespace

std::string eval_svg(const EvalResult& r) {
  if (r.rows.empty()) fail(Errc::kBadInput, "nothing to plot: nothing was asked");
  const Measure& measure = measure_of(r);
  std::map<std::pair<std::string, double>, MeanError> means;  // by line and length
  std::vector<std::string> lines;
  for (const EvalRow& row : r.rows) {
    if (row.predicts() != measure.predicted) continue;
    const std::string line = fmt::format("{}, {}", row.method, row.cache);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    means[{line, static_cast<double>(row.length)}].add(measure.of(row));
  }
  Plot plot{.title = fmt::format("{} {}: {} against length", r.model, r.type, measure.title),
            .notes = {fmt::format("{}{}; seed {}", measure.note, r.form == "chat" ? ", asked in a chat" : "", r.seed)},
            .x = {"tokens of the prompt", Scale::kLog2},
            .y = {measure.axis}};
  for (const std::string& line : lines) {
    plot.series.push_back({.name = line});
    for (const auto& [at, mean] : means)
      if (at.first == line) plot.series.back().points.push_back({at.second, mean.mean()});
  }
  return plot.svg();
}

}  // namespace skald
