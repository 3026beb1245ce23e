#include "cli/terminal/progress_meter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size_text.h"

namespace skald {
namespace {

constexpr std::chrono::milliseconds kSilent{500}, kBetween{100};
constexpr double kRateAfter = 1;  // seconds: before, it means nothing

// "1:28", "2:03:15"
std::string time_text(double seconds) {
  constexpr double kLongest = 360000;
  const auto s = static_cast<int64_t>(std::min(seconds, kLongest) + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60) : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string amount(ProgressUnit unit, int64_t done, int64_t total) {
  if (unit.name.empty()) return fmt::format("{} of {}", size_text(done), size_text(total));
  return fmt::format("{} of {} {}", done, total, unit.name);
}

std::string rate_text(ProgressUnit unit, double rate) {
  return unit.name.empty() ? size_text(static_cast<int64_t>(rate)) + "/s" : fmt::format("{:.1f} {}/s", rate, unit.name);
}

}  // namespace

std::string progress_line(std::string_view what, ProgressUnit unit, int64_t done, int64_t total, double rate,
                          std::string_view note) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  std::string line = fmt::format("{}: {}, {} %", what, amount(unit, done, total), static_cast<int64_t>(100 * share));
  if (!note.empty()) line += fmt::format(", {}", note);
  if (rate <= 0) return line;
  if (unit.rate) line += ", " + rate_text(unit, rate);
  return line + fmt::format(", {} left", time_text(static_cast<double>(total - done) / rate));
}

void ProgressMeter::begin(int64_t done, Clock::time_point now) {
  begun_ = now;
  begun_at_ = last_ = done;
}

std::optional<std::string> ProgressMeter::line(int64_t done, int64_t total, Clock::time_point now, std::string_view note) {
  if (done == 0 || done < last_) begin(done, now);
  last_ = done;
  if (now - begun_ < kSilent || now - shown_ < kBetween) return {};
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const double rate = seconds < kRateAfter ? 0 : static_cast<double>(done - begun_at_) / seconds;
  return progress_line(what_, unit_, done, total, rate, note);
}

}  // namespace skald
