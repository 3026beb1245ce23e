#include "cli/terminal/download_progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace skald {

void DownloadProgress::show(const HubFile& file, int64_t done, bool checking) {
  const auto at = std::ranges::find(model_.files, file.path, &HubFile::path) - model_.files.begin();
  const std::string count = model_.files.size() > 1 ? fmt::format(" ({} of {})", at + 1, model_.files.size()) : "";
  const std::string what = fmt::format("{}{}{}", checking ? "checking " : "", file.path, count);
  if (!progress_ || what != what_) {
    what_ = what;
    progress_.emplace(what);
    progress_->begin(done);
  }
  (*progress_)(done, file.size);
}

}  // namespace skald
