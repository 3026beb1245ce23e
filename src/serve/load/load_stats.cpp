#include "serve/load/load_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/number_from_chars.h"

namespace skald::serve {
namespace {

constexpr double kMs = 1000;

// Seconds a token that follows another takes; nothing where there was one alone.
double per_token(const LoadSample& s) {
  return s.output_tokens > 1 ? (s.last - s.first) / static_cast<double>(s.output_tokens - 1) : 0;
}

Spread spread_of(std::vector<double> values, const std::vector<float>& percentiles) {
  Spread out;
  std::ranges::sort(values);
  out.mean = values.empty() ? std::numeric_limits<double>::quiet_NaN()
                            : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (const float percent : percentiles) out.percentiles.push_back(percentile(values, double{percent}));
  return out;
}

bool keeps(const LoadSample& s, const LoadGoals& goals) {
  const auto within = [](double seconds, double goal) { return goal <= 0 || seconds * kMs <= goal; };
  double gaps = 0;
  for (const float gap : s.gaps) gaps += double{gap};
  const double itl = s.gaps.empty() ? 0 : gaps / static_cast<double>(s.gaps.size());
  return !s.failed() && within(s.first, goals.ttft) && within(itl, goals.itl) && within(per_token(s), goals.tpot) &&
         within(s.whole, goals.e2e);
}

// Sums over the requests that went well.
struct Sums {
  int64_t good = 0, output = 0, prompt = 0, cached = 0;
  bool prompts_known = true, cached_known = true;

  void add(const LoadSample& s) {
    ++good;
    output += s.output_tokens;
    prompt += std::max<int64_t>(0, s.prompt_tokens);
    cached += std::max<int64_t>(0, s.cached_tokens);
    prompts_known &= s.prompt_tokens >= 0;
    cached_known &= s.cached_tokens >= 0;
  }
};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

std::string LoadRow::name() const {
  if (!open) return fmt::format("{} {}", load, load == 1 ? "client" : "clients");
  return std::isinf(load) ? "at once" : fmt::format("{}/s", load);
}

LoadGoals parse_goals(std::string_view text) {
  LoadGoals out;
  const std::pair<std::string_view, double*> names[] = {
      {"ttft", &out.ttft}, {"itl", &out.itl}, {"tpot", &out.tpot}, {"e2e", &out.e2e}};
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t colon = std::min(item.find(':'), item.size());
    const auto* name = std::ranges::find(names, item.substr(0, colon), &std::pair<std::string_view, double*>::first);
    const std::string_view number = item.substr(std::min(colon + 1, item.size()));
    if (name == std::end(names))
      fail(Errc::kBadInput, "{}: want ttft, itl, tpot or e2e with a colon and milliseconds", item);
    const auto [at, error] = number_from_chars(number.data(), number.data() + number.size(), *name->second);
    if (error != std::errc{} || at != number.data() + number.size() || !(*name->second > 0) || std::isinf(*name->second))
      fail(Errc::kBadInput, "{}: want milliseconds after the colon", item);
  }
  return out;
}

double percentile(const std::vector<double>& sorted, double percent) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

LoadSummary summary_of(const LoadRow& row, const std::vector<float>& percentiles, const LoadGoals& goals) {
  LoadSummary out{.requests = std::ssize(row.samples)};
  std::vector<double> ttft, itl, tpot, e2e;
  Sums sums;
  int64_t kept = 0;
  for (const LoadSample& s : row.samples) {
    kept += keeps(s, goals);
    if (s.failed()) {
      ++out.failed;
      ++out.errors[s.error];
      continue;
    }
    sums.add(s);
    ttft.push_back(s.first * kMs);
    e2e.push_back(s.whole * kMs);
    if (s.output_tokens > 1) tpot.push_back(per_token(s) * kMs);
    for (const float gap : s.gaps) itl.push_back(double{gap} * kMs);
  }
  const auto good = static_cast<double>(sums.good), output = static_cast<double>(sums.output),
             prompt = static_cast<double>(sums.prompt);
  out.requests_per_s = share(good, row.seconds);
  out.output_per_s = share(output, row.seconds);
  out.tokens_per_s = share(output + prompt, row.seconds);
  out.output_tokens = share(output, good);
  out.prompt_tokens = sums.prompts_known ? share(prompt, good) : -1;
  if (sums.cached_known && sums.prompt > 0) out.cached_share = share(static_cast<double>(sums.cached), prompt);
  out.goodput = share(static_cast<double>(kept), static_cast<double>(out.requests));
  out.ttft = spread_of(std::move(ttft), percentiles);
  out.itl = spread_of(std::move(itl), percentiles);
  out.tpot = spread_of(std::move(tpot), percentiles);
  out.e2e = spread_of(std::move(e2e), percentiles);
  return out;
}

}  // namespace skald::serve
