// A load on a server that speaks OpenAI's API: requests, from clients that wait for their answers or by a rate, and how long
// the answers took.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "serve/load/load_client.h"
#include "serve/load/load_prompts.h"
#include "serve/load/load_stats.h"

namespace skald::serve {

struct LoadOptions {
  LoadClientOptions client = {};
  LoadPrompts prompts = {};           // without a model: the first that the server lists
  std::vector<int64_t> clients = {};  // a row each: clients that send one request after the other
  std::vector<double> rates = {};     // a row each: requests a second
  double burstiness = 1;
  int64_t requests = 0;      // of a row; 0: 8 for each client, 100 by a rate
  double duration = 0;       // seconds in which a row sends requests; 0: any
  int64_t warmup = 1;        // requests before the first row
  int64_t prefix_bytes = 0;  // of a body, whose sum is sent as the header that proxies route by; 0: none is
  std::vector<float> percentiles = {50, 90, 99};
  LoadGoals goals = {};
  std::function<bool()> stop = {};  // asked ten times a second; then the requests that have ended are reported
  /// As often: the row, and how many of its requests are over, of how many (0: not known).
  std::function<void(const LoadRow& row, int64_t done, int64_t total)> on_progress = {};
};

struct LoadResult {
  std::string url = {}, model = {};
  std::vector<LoadRow> rows = {};
  std::vector<float> percentiles = {};
  LoadGoals goals = {};
  std::vector<std::string> notes = {};  // that a reader of the figures must know
  bool interrupted = false;

  int64_t failed() const;
};

/// Throws Error (kDevice, kBadInput) where the server cannot be reached or does not answer a first request.
LoadResult run_load(LoadOptions options);

std::string load_markdown(const LoadResult& result);
std::string load_json(const LoadResult& result);  // a list of rows
std::string load_csv(const LoadResult& result);
/// Throughput and times against the load. Throws Error (kBadInput) where nothing went well.
std::string load_svg(const LoadResult& result);

}  // namespace skald::serve
