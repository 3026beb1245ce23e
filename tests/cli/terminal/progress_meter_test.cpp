// The line that a terminal shows of long work, and when.
#include "cli/terminal/progress_meter.h"

#include <gtest/gtest.h>

namespace skald::progress_meter_test {
namespace {

using std::chrono::milliseconds;

constexpr int64_t kMiB = 1 << 20;

TEST(ProgressLine, SaysHowMuchIsDoneAndHowLongTheRestTakes) {
  EXPECT_EQ(progress_line("m.gguf", kInBytes, 256 * kMiB, 1024 * kMiB, 8.0 * kMiB),
            "m.gguf: 256.00 MiB of 1.00 GiB, 25 %, 8.00 MiB/s, 1:36 left");
  EXPECT_EQ(progress_line("m.gguf", kInBytes, 0, 3600 * kMiB, 0.5 * kMiB),
            "m.gguf: 0 B of 3.52 GiB, 0 %, 512.00 KiB/s, 2:00:00 left");
  EXPECT_EQ(progress_line("m.gguf", kInBytes, 5, 10, 0), "m.gguf: 5 B of 10 B, 50 %");
  EXPECT_EQ(progress_line("m.gguf", kInBytes, 0, 0, 0), "m.gguf: 0 B of 0 B, 100 %");
  EXPECT_EQ(progress_line("prompt", kInTokens, 512, 2048, 100),
            "prompt: 512 of 2048 tokens, 25 %, 100.0 tokens/s, 0:15 left");
  EXPECT_EQ(progress_line("text", kInWindows, 1, 4, 0.1, "PPL 7.5"), "text: 1 of 4 windows, 25 %, PPL 7.5, 0:30 left");
}

class Meter : public testing::Test {
 protected:
  // At this many milliseconds.
  std::optional<std::string> at(int64_t ms, int64_t done) { return meter_.line(done, 1000, start_ + milliseconds(ms)); }

  ProgressMeter::Clock::time_point start_{};
  ProgressMeter meter_{"work", {"steps", true}, start_};
};

TEST_F(Meter, IsSilentInTheFirstHalfSecond) {
  EXPECT_FALSE(at(0, 0));
  EXPECT_FALSE(at(499, 500));
  EXPECT_EQ(at(600, 600), "work: 600 of 1000 steps, 60 %");
}

TEST_F(Meter, ShowsALineTenTimesASecond) {
  EXPECT_TRUE(at(600, 100));
  EXPECT_FALSE(at(650, 110));
  EXPECT_TRUE(at(700, 120));
}

TEST_F(Meter, TellsRateAndTimeAfterASecond) {
  EXPECT_EQ(at(2000, 500), "work: 500 of 1000 steps, 50 %, 250.0 steps/s, 0:02 left");
}

TEST_F(Meter, CountsFromWhatWasDoneBefore) {
  meter_.begin(800, start_);
  EXPECT_EQ(at(2000, 900), "work: 900 of 1000 steps, 90 %, 50.0 steps/s, 0:02 left");
}

TEST_F(Meter, BeginsAnewWhereLessIsDoneThanBefore) {
  EXPECT_TRUE(at(2000, 900));
  EXPECT_FALSE(at(2200, 100)) << "silent again";
  EXPECT_EQ(at(4200, 600), "work: 600 of 1000 steps, 60 %, 250.0 steps/s, 0:02 left") << "500 steps in 2 s";
}

}  // namespace
}  // namespace skald::progress_meter_test
