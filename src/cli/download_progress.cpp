#include "cli/download_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/size_text.h"
#include "cli/common_flags.h"

namespace skald {
namespace {

constexpr std::chrono::milliseconds kBetween{100};

// "1:28", "2:03:15"
std::string time_text(double seconds) {
  constexpr double kLongest = 360000;
  const auto s = static_cast<int64_t>(std::min(seconds, kLongest) + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60) : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

std::string download_line(const std::string& name, int64_t done, int64_t size, double rate) {
  std::string line =
      fmt::format("{}: {} of {}, {} %", name, size_text(done), size_text(size), size ? 100 * done / size : 100);
  if (rate <= 0) return line;
  return line + fmt::format(", {}/s, {} left", size_text(static_cast<int64_t>(rate)),
                            time_text(static_cast<double>(size - done) / rate));
}

void DownloadProgress::show(const HubFile& file, int64_t done, bool checking) {
  const Clock::time_point now = Clock::now();
  if (path_ != file.path || checking || done < begun_at_) {
    path_ = file.path;
    begun_at_ = done;
    begun_ = now;
  }
  if (now - shown_ < kBetween && done < file.size) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const double rate = checking || seconds < 1 ? 0 : static_cast<double>(done - begun_at_) / seconds;
  const auto at = std::ranges::find(model_.files, file.path, &HubFile::path) - model_.files.begin();
  const std::string count = model_.files.size() > 1 ? fmt::format(" ({} of {})", at + 1, model_.files.size()) : "";
  show_progress(download_line((checking ? "checking " : "") + file.path + count, done, file.size, rate));
}

}  // namespace skald
