// How far a download is, on terminals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal/progress.h"
#include "hub/hub_model.h"

namespace skald {

class DownloadProgress {
 public:
  /// The files that will come.
  void start(const HubModel& model) { model_ = model; }
  /// Bytes of a file that are there; `checking`: they are read for their sum.
  void show(const HubFile& file, int64_t done, bool checking);
  void end() { progress_.reset(); }

 private:
  HubModel model_;
  std::string what_;
  std::optional<Progress> progress_;
};

}  // namespace skald
