#include "serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace skald::serve {
namespace {

void head(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void value(std::string& out, std::string_view name, std::string_view help, std::string_view type, double x) {
  head(out, name, help, type);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, x);
}

struct TimeName {
  std::string_view name, help;
};
constexpr std::array<TimeName, 5> kTimes = {{
    {"skald_time_to_first_token_seconds", "From a request's arrival to its first token"},
    {"skald_inter_token_seconds", "Between two tokens of a text"},
    {"skald_queue_seconds", "From a request's arrival to its first step"},
    {"skald_request_seconds", "From a request's arrival to its answer's end"},
    {"skald_step_seconds", "Of a step of the model"},
}};

void add_engines(std::string& out, const EngineStatus& e, const PrefixStore::Status& d) {
  const auto number = [&](std::string_view name, std::string_view help, double x) { value(out, name, help, "counter", x); };
  const auto counter = [&](std::string_view name, std::string_view help, int64_t n) {
    number(name, help, static_cast<double>(n));
  };
  const auto tiers = [&](std::string_view name, std::string_view help, int64_t ram, int64_t disk) {
    head(out, name, help, "counter");
    fmt::format_to(std::back_inserter(out), "{0}{{tier=\"ram\"}} {1}\n{0}{{tier=\"disk\"}} {2}\n", name, ram, disk);
  };
  const auto gauge = [&](std::string_view name, std::string_view help, double x) { value(out, name, help, "gauge", x); };
  counter("skald_prompt_tokens_total", "Tokens of prompts that were computed", e.prompt_tokens);
  counter("skald_prompt_tokens_ahead_total", "Tokens that were read ahead for turns to come", e.prompt_tokens_ahead);
  tiers("skald_prompt_tokens_cached_total", "Tokens of prompts that the cache had", e.cached_tokens - e.disk_tokens,
        e.disk_tokens);
  counter("skald_tokens_predicted_total", "Tokens that were generated", e.generated_tokens);
  counter("skald_tokens_drafted_total", "Tokens that were guessed ahead of texts", e.guessed_tokens);
  counter("skald_tokens_drafted_accepted_total", "Guessed tokens that were right", e.right_guesses);
  counter("skald_preemptions_total", "Times that a text gave its pages to others", e.preemptions);
  tiers("skald_prefix_evictions_total", "Cached pages that made way", e.prefix_evictions, d.pages_removed);
  counter("skald_sparse_bytes_total", "Keys and values that sparse decoding read", e.sparq.read);
  counter("skald_sparse_dense_bytes_total", "Keys and values that dense decoding would have read", e.sparq.dense);
  counter("skald_sparse_tokens_total", "Sparsely decoded tokens whose loss is known", e.sparq.known);
  number("skald_sparse_nats_total", "Loss of these tokens, as measured", e.sparq.nats);
  counter("skald_sparse_measured_total", "Tokens that were decoded densely, too", e.sparq.measured);
  gauge("skald_requests_processing", "Requests that run", static_cast<double>(e.running));
  gauge("skald_requests_deferred", "Requests that wait", static_cast<double>(e.waiting));
  const auto& p = e.pages;
  gauge("skald_pages_total", "Pages of the KV cache", static_cast<double>(p.total));
  gauge("skald_pages_active", "Pages that requests hold", static_cast<double>(p.active));
  gauge("skald_pages_cached", "Pages that are kept for requests to come", static_cast<double>(p.cached));
  gauge("skald_pages_free", "Pages without an owner", static_cast<double>(p.free));
  gauge("skald_kv_usage_ratio", "Share of the pages that requests hold",
        p.total ? static_cast<double>(p.active) / static_cast<double>(p.total) : 0);
  gauge("skald_disk_unwritten_pages", "Pages of prompts that are still to be written",
        static_cast<double>(e.unwritten_pages));
  gauge("skald_disk_pages", "Pages on disk", static_cast<double>(d.pages));
  gauge("skald_disk_bytes", "Bytes on disk", static_cast<double>(d.bytes));
  counter("skald_disk_pages_read_total", "Pages that were read from disk", d.pages_read);
  counter("skald_disk_pages_written_total", "Pages that were written to disk", d.pages_written);
  counter("skald_disk_corrupt_pages_total", "Files on disk that were damaged, or of something else", d.corrupt);
  gauge("skald_prefix_store_up", "Whether the store beyond memory is asked: 0 where it is left alone for a while",
        !d.kind.empty() && d.up);
  counter("skald_prefix_store_hits_total", "Prompts whose next page the store had", d.found);
  counter("skald_prefix_store_misses_total", "Prompts whose next page it did not have", d.missed);
  counter("skald_prefix_store_errors_total", "Times that it failed or did not answer in time", d.errors);
  counter("skald_prefilled_requests_total", "Requests that named pages of another server", e.prefilled);
  counter("skald_prefilled_missed_total", "Those of them whose pages were not all there", e.prefilled_missed);
  number("skald_prefix_store_seconds_total", "Time that it took to answer", d.seconds);
}

}  // namespace

void Histogram::add(double seconds) {
  ++counts_[static_cast<size_t>(std::ranges::lower_bound(kEnds, seconds) - kEnds.begin())];
  sum_ += seconds;
}

std::string Histogram::text(std::string_view name, std::string_view help) const {
  std::string out;
  head(out, name, help, "histogram");
  int64_t below = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    const std::string end = i < kEnds.size() ? fmt::format("{}", kEnds[i]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{le=\"{}\"}} {}\n", name, end, below);
  }
  fmt::format_to(std::back_inserter(out), "{0}_sum {1}\n{0}_count {2}\n", name, sum_, below);
  return out;
}

void Metrics::count_request(std::string_view route, int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
}

void Metrics::count_cancelled() {
  const std::lock_guard lock(mutex_);
  ++cancelled_;
}

void Metrics::add(Time which, double seconds) {
  const std::lock_guard lock(mutex_);
  times_[static_cast<size_t>(which)].add(seconds);
}

std::string Metrics::text(const EngineStatus& engines, const PrefixStore::Status& disk, int64_t connections) const {
  const std::lock_guard lock(mutex_);
  std::string out;
  head(out, "skald_requests_total", "Requests by route and status", "counter");
  for (const auto& [of, n] : requests_)
    fmt::format_to(std::back_inserter(out), "skald_requests_total{{route=\"{}\",code=\"{}\"}} {}\n", of.first, of.second, n);
  value(out, "skald_requests_cancelled_total", "Requests whose client left", "counter", static_cast<double>(cancelled_));
  add_engines(out, engines, disk);
  value(out, "skald_connections", "Clients that are connected", "gauge", static_cast<double>(connections));
  for (size_t i = 0; i < kTimes.size(); ++i) out += times_[i].text(kTimes[i].name, kTimes[i].help);
  return out;
}

}  // namespace skald::serve
