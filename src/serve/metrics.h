// Metrics of the server in Prometheus' text format, version 0.0.4.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "skald/engine.h"

namespace skald::serve {

/// Counts of durations, in seconds.
class Histogram {
 public:
  void add(double seconds);
  /// Returns the lines of a metric of this name.
  std::string text(std::string_view name, std::string_view help) const;

 private:
  static constexpr std::array<double, 16> kEnds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                   0.5,   1,      2.5,   5,    10,    30,   60,  300};
  std::array<int64_t, kEnds.size() + 1> counts_{};
  double sum_ = 0;
};

/// Counters of the server itself; the engine counts the rest. Any thread may use it.
class Metrics {
 public:
  enum class Time : uint8_t { kFirstToken, kInterToken, kQueue, kRequest, kStep };

  void count_request(std::string_view route, int status);
  void count_cancelled();
  void add(Time which, double seconds);

  /// Writes the metrics; `engines`: the status of all models' engines, added up.
  std::string text(const EngineStatus& engines, const PrefixStore::Status& disk, int64_t connections) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, int64_t, std::less<>> requests_;
  int64_t cancelled_ = 0;
  std::array<Histogram, 5> times_;
};

}  // namespace skald::serve
