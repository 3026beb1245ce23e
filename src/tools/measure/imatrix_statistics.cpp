#include "tools/measure/imatrix_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "io/printable.h"
#include "tools/report/table.h"

namespace skald {
namespace {

constexpr double kActive = 1e-5;

// Means of the matrices that met rows.
std::vector<double> seen_means(const Imatrix::Entry& e) {
  std::vector<double> out;
  const size_t columns = e.sums.size() / e.counts.size();
  for (size_t i = 0; i < e.sums.size(); ++i)
    if (const int64_t n = e.counts[i / columns]; n > 0)
      out.push_back(static_cast<double>(e.sums[i]) / static_cast<double>(n));
  return out;
}

/// "blk.3.ffn_down.weight" in parts.
struct Place {
  int64_t layer = -1;
  std::string_view rest;  // "ffn_down.weight"

  explicit Place(std::string_view name) : rest(name) {
    constexpr std::string_view kBlock = "blk.";
    if (!name.starts_with(kBlock)) return;
    const std::string_view tail = name.substr(kBlock.size());
    int64_t number = 0;
    const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), number);
    if (error != std::errc() || number < 0 || end == tail.data() + tail.size() || *end != '.') return;
    layer = number;
    rest = tail.substr(static_cast<size_t>(end + 1 - tail.data()));
  }
  std::string tensor() const {
    constexpr std::string_view kWeight = ".weight";
    return std::string(rest.ends_with(kWeight) ? rest.substr(0, rest.size() - kWeight.size()) : rest);
  }
};

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return 0;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

double entropy_of(const std::vector<double>& values, double sum) {
  double bits = 0;
  for (const double v : values)
    if (v > 0) bits -= v / sum * std::log2(v / sum);
  return bits;
}

double share_above(const std::vector<double>& values, double limit) {
  const auto n = std::ranges::count_if(values, [limit](double v) { return v > limit; });
  return static_cast<double>(n) / static_cast<double>(values.size());
}

ImatrixStatistics statistics_of(const Imatrix& m, const std::string& name, const std::vector<double>& means) {
  const Place place(name);
  ImatrixStatistics s{.name = name, .layer = place.layer, .tensor = place.tensor()};
  s.columns = static_cast<int64_t>(means.size());
  s.sum = std::accumulate(means.begin(), means.end(), 0.0);
  s.least = std::ranges::min(means);
  s.most = std::ranges::max(means);
  s.mean = s.sum / static_cast<double>(s.columns);
  double squares = 0;
  for (const double v : means) squares += (v - s.mean) * (v - s.mean);
  s.deviation = std::sqrt(squares / static_cast<double>(s.columns));
  s.active = share_above(means, kActive);
  s.entropy = s.sum > 0 ? entropy_of(means, s.sum) : 0;
  s.outliers = s.deviation > 0 ? share_above(means, s.mean + s.deviation) : 0;
  const auto before = m.entries.find(fmt::format("blk.{}.{}", place.layer - 1, place.rest));
  if (place.layer > 0 && before != m.entries.end()) s.similarity = cosine(m.entries.at(name).sums, before->second.sums);
  return s;
}

std::string layer_name(int64_t layer) { return layer < 0 ? "-" : std::to_string(layer); }

/// Means of a layer's tensors.
struct LayerMeans {
  double columns = 0, sum = 0, outliers = 0, similarity = 0;

  void add(const ImatrixStatistics& s) {
    const auto n = static_cast<double>(s.columns);
    columns += n;
    sum += n * s.sum;
    outliers += n * s.outliers;
    similarity += n * s.similarity;
  }
};

}  // namespace

std::vector<ImatrixStatistics> statistics_of(const Imatrix& imatrix) {
  std::vector<ImatrixStatistics> out;
  for (const auto& [name, entry] : imatrix.entries)
    if (const std::vector<double> means = seen_means(entry); !means.empty())
      out.push_back(statistics_of(imatrix, name, means));
  std::ranges::sort(out,
                    [](const auto& a, const auto& b) { return a.tensor == b.tensor ? a.sum > b.sum : a.tensor < b.tensor; });
  return out;
}

std::string statistics_markdown(const std::vector<ImatrixStatistics>& statistics) {
  Table tensors{{"layer", "tensor", "sum", "min", "max", "mean", "deviation", "active", "columns", "entropy", "of most",
                 "outliers", "similarity"},
                {}};
  std::map<int64_t, LayerMeans> means;
  for (const ImatrixStatistics& s : statistics) {
    const double most = std::log2(static_cast<double>(s.columns));
    tensors.rows.push_back({layer_name(s.layer), printable(s.tensor), fmt::format("{:.2f}", s.sum),
                            fmt::format("{:.4f}", s.least), fmt::format("{:.4f}", s.most), fmt::format("{:.4f}", s.mean),
                            fmt::format("{:.4f}", s.deviation), fmt::format("{:.2f} %", 100 * s.active),
                            std::to_string(s.columns), fmt::format("{:.4f}", s.entropy),
                            fmt::format("{:.2f} %", most > 0 ? 100 * s.entropy / most : 100),
                            fmt::format("{:.2f} %", 100 * s.outliers), fmt::format("{:.4f}", s.similarity)});
    means[s.layer].add(s);
  }
  Table layers{{"layer", "sum", "outliers", "similarity"}, {}};
  for (const auto& [layer, m] : means)
    layers.rows.push_back({layer_name(layer), fmt::format("{:.2f}", m.sum / m.columns),
                           fmt::format("{:.4f} %", 100 * m.outliers / m.columns),
                           fmt::format("{:.4f}", m.similarity / m.columns)});
  return tensors.markdown() + "\n" + layers.markdown();
}

}  // namespace skald
