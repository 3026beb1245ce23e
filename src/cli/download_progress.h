// How far a download is, on terminals.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "hub/hub_model.h"

namespace skald {

class DownloadProgress {
 public:
  /// The files that will come.
  void start(const HubModel& model) { model_ = model; }
  /// Bytes of a file that are there; `checking`: they are read for their sum.
  void show(const HubFile& file, int64_t done, bool checking);

 private:
  using Clock = std::chrono::steady_clock;

  HubModel model_;
  std::string path_;      // of the file that comes
  int64_t begun_at_ = 0;  // bytes of it that were there before
  Clock::time_point begun_{}, shown_{};
};

/// "model.gguf: 1.20 GiB of 4.30 GiB, 28 %, 35.20 MiB/s, 1:28 left"; `rate`: bytes per second, 0: unknown.
std::string download_line(const std::string& name, int64_t done, int64_t size, double rate);

}  // namespace skald
