// Bytes that a device has as the host has them.
#include "backend/gpu/mirror.h"

#include <gtest/gtest.h>

#include "backend/simt/simt_device.h"

namespace skald::gpu_mirror_test {
namespace {

class MirrorTest : public testing::Test {
 protected:
  static constexpr int64_t kBytes = 200'000;
  void put(int64_t at, const std::string& text) {
    mirror_.put(at, text.data(), std::ssize(text));
    std::ranges::copy(text, want_.begin() + at);
  }
  /// The bytes that are brought, once they are seen to be right.
  int64_t brought() {
    const int64_t before = device_.counts().brought_bytes;
    mirror_.bring();
    std::string got(want_.size(), '?');
    device_.read(reinterpret_cast<std::byte*>(got.data()), mirror_.at(0), kBytes);
    EXPECT_EQ(got, want_);
    return device_.counts().brought_bytes - before;
  }

  gpu::SimtDevice device_;
  gpu::Mirror mirror_{device_, kBytes};
  std::string want_ = std::string(kBytes, '\0');
};

TEST_F(MirrorTest, BringsOnlyWhatChanged) {
  put(10, "some bytes");
  EXPECT_EQ(brought(), 10);
  put(10, "some bytes");
  EXPECT_EQ(brought(), 0);
  put(10, "some other");
  EXPECT_EQ(brought(), 10);
  EXPECT_EQ(device_.counts().brings, 2);
}

TEST_F(MirrorTest, BringsNeighboursAtOnceAndOthersAlone) {
  put(0, "a");
  put(1000, "b");
  EXPECT_EQ(brought(), 1001);
  EXPECT_EQ(device_.counts().brings, 1);
  put(0, "c");
  put(100'000, "d");
  put(199'999, "e");
  EXPECT_EQ(brought(), 3);
  EXPECT_EQ(device_.counts().brings, 4);
}

TEST_F(MirrorTest, KeepsWhatWasNotBroughtYet) {
  put(5000, "first");
  put(0, "second");
  put(5002, "third");
  brought();
  EXPECT_EQ(brought(), 0);
}

}  // namespace
}  // namespace skald::gpu_mirror_test
