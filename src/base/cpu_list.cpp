#include "base/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "base/error.h"

namespace skald {
namespace {

struct CpuRange {
  int first, last;
};

constexpr size_t kShown = 40;  // characters of a part that errors show

// The number `text`, which is all or half of `part`.
int parse_cpu(std::string_view text, std::string_view part) {
  unsigned cpu = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error == std::errc::invalid_argument || stop != text.data() + text.size())
    fail(Errc::kBadInput, "'{}' is not a CPU or a range of them, as in 0-3,8", part.substr(0, kShown));
  if (error != std::errc{} || cpu > kMaxCpu) fail(Errc::kBadInput, "'{}': CPUs end at {}", part.substr(0, kShown), kMaxCpu);
  return static_cast<int>(cpu);
}

CpuRange parse_range(std::string_view part) {
  const size_t dash = part.find('-', 1);
  const int first = parse_cpu(part.substr(0, dash), part);
  const int last = dash >= part.size() ? first : parse_cpu(part.substr(dash + 1), part);
  if (first > last) fail(Errc::kBadInput, "'{}' ends before it begins", part);
  return {first, last};
}

}  // namespace

CpuList parse_cpu_list(std::string_view text) {
  CpuList cpus;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const CpuRange range = parse_range(text.substr(at, end - at));
    for (int cpu = range.first; cpu <= range.last; ++cpu) cpus.push_back(cpu);
    at = end + 1;
  }
  std::ranges::sort(cpus);
  cpus.erase(std::ranges::unique(cpus).begin(), cpus.end());
  return cpus;
}

std::string to_string(const CpuList& cpus) {
  std::string text;
  for (size_t i = 0, end = 0; i < cpus.size(); i = end) {
    for (end = i + 1; end < cpus.size() && cpus[end] == cpus[end - 1] + 1;) ++end;
    if (i) text += ',';
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += '-' + std::to_string(cpus[end - 1]);
  }
  return text;
}

CpuList intersection(const CpuList& cpus, const CpuList& among) {
  CpuList out;
  std::ranges::set_intersection(cpus, among, std::back_inserter(out));
  return out;
}

CpuList difference(const CpuList& cpus, const CpuList& among) {
  CpuList out;
  std::ranges::set_difference(cpus, among, std::back_inserter(out));
  return out;
}

}  // namespace skald
