// The comparator, the canaries and the .npy reader: that they can fail.
#include "tests/support/close_to.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/guarded.h"
#include "tests/support/npy.h"
#include "tests/support/paths.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace skald::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
using Floats = std::vector<float>;

TEST(CloseTo, AcceptsWhatIsWithinTheLimitOnBothSides) {
  EXPECT_TRUE(close_to(Floats{1, -2, 3}, Floats{1.5f, -2.5f, 2.5f}, 0.5));
  EXPECT_TRUE(close_to(Floats{}, Floats{}, 0));
  EXPECT_TRUE(close_to(Floats{1, -2}, Floats{1, -2}, 0));
}

TEST(CloseTo, RefusesWhatIsBeyondTheLimitWhateverTheSign) {
  for (float want : {1.0f, -1.0f, 0.0f})
    for (float off : {0.75f, -0.75f}) {
      EXPECT_FALSE(close_to(Floats{want + off}, Floats{want}, 0.5)) << want << " " << off;
    }
}

TEST(CloseTo, NeverAcceptsNaN) {
  EXPECT_FALSE(close_to(Floats{kNaN}, Floats{1}, 1e30));
  EXPECT_FALSE(close_to(Floats{1}, Floats{kNaN}, 1e30));
  EXPECT_FALSE(close_to(Floats{kNaN}, Floats{kNaN}, 1e30));
  EXPECT_FALSE(close_to(Floats{1}, Floats{2}, std::nan("")));
  EXPECT_FALSE(close_to(Floats{1}, Floats{1}, std::nan("")));
}

TEST(CloseTo, InfinityIsOnlyCloseToItself) {
  EXPECT_TRUE(close_to(Floats{kInf, -kInf}, Floats{kInf, -kInf}, 1));
  EXPECT_FALSE(close_to(Floats{kInf}, Floats{-kInf}, 1e300));
  EXPECT_FALSE(close_to(Floats{kInf}, Floats{1}, 1e300));
}

TEST(CloseTo, ComparesSizes) {
  EXPECT_FALSE(close_to(Floats{1, 2}, Floats{1}, 10));
  EXPECT_FALSE(close_to(Floats{}, Floats{1}, 10));
  EXPECT_FALSE(close_to(Floats{1, 2}, Floats{1, 2}, std::vector<double>{1}));
}

TEST(CloseTo, TakesALimitPerValue) {
  EXPECT_TRUE(close_to(Floats{1, 2}, Floats{1.5f, 4}, std::vector<double>{0.5, 2}));
  EXPECT_FALSE(close_to(Floats{1, 2}, Floats{1.5f, 4}, std::vector<double>{2, 0.5}));
}

TEST(CloseTo, ReportsTheFirstAndTheWorst) {
  const std::string text = close_to(Floats{0, 1, 0, 5, kNaN}, Floats{0, 0, 0, 0, 0}, 0.5).message();
  EXPECT_NE(text.find("3 of 5"), std::string::npos) << text;
  EXPECT_NE(text.find("first [1]"), std::string::npos) << text;
  EXPECT_NE(text.find("worst [4]"), std::string::npos) << text;
}

TEST(SameBits, SeesWhatEqualityDoesNot) {
  EXPECT_TRUE(same_bits(Floats{1, kNaN}, Floats{1, kNaN}));
  EXPECT_FALSE(same_bits(Floats{0.0f}, Floats{-0.0f}));
  EXPECT_FALSE(same_bits(Floats{1}, Floats{std::nextafter(1.0f, 2.0f)}));
  EXPECT_FALSE(same_bits(Floats{1}, Floats{1, 2}));
}

TEST(DotReference, SumsTermsAndMagnitudes) {
  const Dot dot(Floats{1, -2, 3}, Floats{4, 5, -1});
  EXPECT_EQ(dot.sum, -9);
  EXPECT_EQ(dot.magnitude, 17);
  EXPECT_EQ(dot.limit(2), 34 * 0x1p-24);
}

TEST(GuardedBuffer, SeesWritesOutsideOnBothSides) {
  Guarded<float> y(5);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(y.data()) % 64, 0u);
  for (int i = 0; i < 4; ++i) y[i] = 1;
  EXPECT_TRUE(y.intact());
  EXPECT_FALSE(y.untouched(3));
  EXPECT_TRUE(y.untouched(4));
  y[5] = 0;
  EXPECT_FALSE(y.intact());
  Guarded<float> before(5);
  before[-1] = 0;
  EXPECT_FALSE(before.intact());
}

TEST(Normal, IsSeededAndOfUnitSpread) {
  const Floats a = normal(10000, 7);
  EXPECT_EQ(a, normal(10000, 7));
  EXPECT_NE(a, normal(10000, 8));
  double sum = 0, squares = 0;
  for (float v : a) {
    sum += static_cast<double>(v);
    squares += static_cast<double>(v) * static_cast<double>(v);
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}

TEST(Npy, ReadsGoldenLogits) {
  const Matrix m = read_npy(data_dir() / "golden/llama_mha/logits.npy");
  EXPECT_EQ(m.rows, 24);
  EXPECT_EQ(m.cols, 448);
  ASSERT_EQ(m.values.size(), 24u * 448u);
  EXPECT_EQ(m.row(23).size(), 448u);
  EXPECT_EQ(std::bit_cast<uint32_t>(m.values[0]), 0x3fa361bfu);  // the first four bytes after the header
}

TEST(Npy, RefusesOtherFiles) {
  const TempDir dir;
  EXPECT_THROW(read_npy(dir.path("absent.npy")), std::runtime_error);
  EXPECT_THROW(read_npy(dir.write("a.npy", "hello, world")), std::runtime_error);
  const std::string magic("\x93NUMPY\x01\x00", 8);
  const auto file = [&](const std::string& header, size_t data) {
    return dir.write("b.npy", magic + static_cast<char>(header.size()) + '\0' + header + std::string(data, '\0'));
  };
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_NO_THROW(read_npy(file(good, 24)));
  EXPECT_THROW(read_npy(file(good, 23)), std::runtime_error);
  EXPECT_THROW(read_npy(file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48)), std::runtime_error);
  EXPECT_THROW(read_npy(file("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24)), std::runtime_error);
  EXPECT_THROW(read_npy(file("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", 24)), std::runtime_error);
}

}  // namespace
}  // namespace skald::test
