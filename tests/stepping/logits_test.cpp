#include "stepping/logits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace skald {
namespace {

// Addresses lie half a megabyte off, as no host could follow them.
class FarMemory : public DeviceMemory {
 public:
  static constexpr std::ptrdiff_t kFar = 1 << 19;
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override { return host_memory().allocate(bytes); }
  void copy(std::byte* to, const std::byte* from, int64_t n) override { host_memory().copy(to + kFar, from + kFar, n); }
  void clear(std::byte* at, int64_t n) override { host_memory().clear(at + kFar, n); }
  void read(std::byte* host, const std::byte* from, int64_t n) override {
    host_memory().copy(host, from + kFar, n);
    bytes_read += n;
  }
  void write(std::byte* to, const std::byte* host, int64_t n) override { host_memory().copy(to + kFar, host, n); }
  bool host_visible() const override { return false; }

  int64_t bytes_read = 0;
};

TEST(Logits, AreReadWhereTheyLieOrCopied) {
  std::vector<float> x(6);
  std::iota(x.begin(), x.end(), 0.0f);
  auto* data = reinterpret_cast<std::byte*>(x.data());
  FarMemory far;
  const Logits near({data, {&format_f32, {2, 3}}}, host_memory()),
      copied({data - FarMemory::kFar, {&format_f32, {2, 3}}}, far);
  for (const Logits* logits : {&near, &copied}) {
    EXPECT_EQ(logits->rows(), 2);
    EXPECT_THAT(logits->row(1), testing::ElementsAre(3, 4, 5));
    EXPECT_THAT(logits->rows(0, 2), testing::ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(logits->argmax(0), 2);
  }
  EXPECT_EQ(near.row(1).data(), x.data() + 3);
  x[4] = 100;
  EXPECT_EQ(near.argmax(1), 1);
  EXPECT_EQ(copied.argmax(1), 2);
}

TEST(Logits, AreReadRowByRowWhereTheDeviceTellsTheBestTokens) {
  std::vector<float> x(6);
  std::iota(x.begin(), x.end(), 0.0f);
  const BestTokens best[2] = {{.n = 1, .tokens = {2}}, {.n = 1, .tokens = {1}}};
  FarMemory far;
  const Logits logits({reinterpret_cast<std::byte*>(x.data()) - FarMemory::kFar, {&format_f32, {2, 3}}}, far, best);
  EXPECT_EQ(logits.best(1), best + 1);
  EXPECT_EQ(logits.argmax(0), 2);
  EXPECT_EQ(logits.argmax(1), 1);
  EXPECT_EQ(far.bytes_read, 0);
  for (int i = 0; i < 2; ++i) EXPECT_THAT(logits.row(1), testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(far.bytes_read, 3 * 4) << "one row, once";
  EXPECT_THAT(logits.rows(1, 1), testing::ElementsAre(3, 4, 5));
}

}  // namespace
}  // namespace skald
