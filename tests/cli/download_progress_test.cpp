// The line that a terminal shows of a download.
#include "cli/download_progress.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(DownloadLine, SaysHowMuchIsThereAndHowLongTheRestTakes) {
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_EQ(download_line("m.gguf", 256 * kMiB, 1024 * kMiB, 8.0 * kMiB),
            "m.gguf: 256.00 MiB of 1.00 GiB, 25 %, 8.00 MiB/s, 1:36 left");
  EXPECT_EQ(download_line("m.gguf", 0, 3600 * kMiB, 0.5 * kMiB), "m.gguf: 0 B of 3.52 GiB, 0 %, 512.00 KiB/s, 2:00:00 left");
  EXPECT_EQ(download_line("m.gguf", 5, 10, 0), "m.gguf: 5 B of 10 B, 50 %");
  EXPECT_EQ(download_line("m.gguf", 0, 0, 0), "m.gguf: 0 B of 0 B, 100 %");
}

}  // namespace
}  // namespace skald
