// Statistics of a load's samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "serve/load/load_stream.h"

namespace skald::serve {

/// One row of a report: the requests, and their results.
struct LoadRow {
  bool open = false;  // requests come by a fixed rate; else a number of clients send one after the other
  double load = 0;    // requests a second, or clients
  double seconds = 0;
  std::vector<LoadSample> samples = {};

  /// "4 clients", "2.5/s", "at once"
  std::string name() const;
};

/// Times that a request should keep, in milliseconds; 0: any.
struct LoadGoals {
  double ttft = 0, itl = 0, tpot = 0, e2e = 0;
  bool given() const { return ttft > 0 || itl > 0 || tpot > 0 || e2e > 0; }
};

/// "ttft:500,itl:100". Throws Error (kBadInput) naming the fault.
LoadGoals parse_goals(std::string_view text);

/// Of times in milliseconds.
struct Spread {
  double mean = 0;
  std::vector<double> percentiles = {};  // of those that were asked for
};

struct LoadSummary {
  int64_t requests = 0, failed = 0;
  double requests_per_s = 0, output_per_s = 0, tokens_per_s = 0;  // of those that went well
  double prompt_tokens = 0, output_tokens = 0;                    // of one of them on average; -1: the server does not say
  double cached_share = -1;                                       // of prompts; -1: the server does not say
  double goodput = 0;                                             // share of all requests that keep the goals
  Spread ttft = {}, itl = {}, tpot = {}, e2e = {};  // to the first text; between texts; a further token; to the end
  std::map<std::string, int64_t> errors = {};
};

/// Returns the value below which `percent` of the sorted values lie, between two of them in proportion (NumPy's default);
/// NaN of none.
double percentile(const std::vector<double>& sorted, double percent);

LoadSummary summary_of(const LoadRow& row, const std::vector<float>& percentiles, const LoadGoals& goals);

}  // namespace skald::serve
