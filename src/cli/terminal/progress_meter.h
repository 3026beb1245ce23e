// ProgressMeter: how far long work is, as a line of text; and when there is something new to show.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skald {

/// The unit of a count.
struct ProgressUnit {
  std::string_view name;  // "tokens"; empty: bytes
  bool rate = false;      // whether it is worth telling how many there are in a second
};
inline constexpr ProgressUnit kInBytes{"", true}, kInTokens{"tokens", true}, kInWindows{"windows"}, kInAnswers{"answers"};

/// "reading model.gguf: 1.20 GiB of 4.30 GiB, 28 %, 35.20 MiB/s, 1:28 left". `rate`: per second; 0: unknown, then the time
/// is unknown too. `note` comes after the share, if there is one.
std::string progress_line(std::string_view what, ProgressUnit unit, int64_t done, int64_t total, double rate,
                          std::string_view note = {});

class ProgressMeter {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressMeter(std::string what, ProgressUnit unit, Clock::time_point now)
      : what_(std::move(what)), unit_(unit), begun_(now) {}

  /// Work begins, or begins anew, with this much done: rate and time count from here.
  void begin(int64_t done, Clock::time_point now);
  /// Returns the line to show; nullopt in the first half second, and within a tenth of a second of the last line. Less than
  /// before, or nothing at all done: the work begins anew.
  std::optional<std::string> line(int64_t done, int64_t total, Clock::time_point now, std::string_view note = {});

 private:
  std::string what_;
  ProgressUnit unit_;
  Clock::time_point begun_, shown_{};
  int64_t begun_at_ = 0, last_ = 0;
};

}  // namespace skald
