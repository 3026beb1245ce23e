// Files of log-probabilities: rows are read again within the file's precision, and faults are named.
#include "tools/measure/reference_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/support/errors.h"
#include "tests/support/random.h"
#include "tests/support/temp_dir.h"

namespace skald::reference_file_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kVocab = 33;  // odd: rows are padded
constexpr int64_t kContext = 8, kChunks = 2, kPredicted = 3;

std::vector<uint16_t> encoded(const std::vector<float>& logits) {
  std::vector<uint16_t> out(static_cast<size_t>(ReferenceRow::length(static_cast<int64_t>(logits.size()))));
  ReferenceRow::encode(logits, LogSoftmax(logits), out);
  return out;
}

TEST(ReferenceRow, KeepsLogProbabilitiesWithinAStep) {
  const std::vector<float> logits = test::normal(kVocab, 3, 2);
  const LogSoftmax softmax(logits);
  const std::vector<uint16_t> row = encoded(logits);
  const ReferenceRow read(row, kVocab);
  ASSERT_EQ(read.size(), kVocab);
  for (int64_t i = 0; i < kVocab; ++i)
    EXPECT_NEAR(read.log_p(i), static_cast<double>(logits[static_cast<size_t>(i)]) - softmax.log_sum, 16.0 / 65535) << i;
}

TEST(ReferenceRow, CutsOffWhatIsFarBelowTheMostLikely) {
  const std::vector<float> logits = {0, -10, -100, -std::numeric_limits<float>::infinity()};
  const std::vector<uint16_t> row = encoded(logits);
  const ReferenceRow read(row, 4);
  EXPECT_NEAR(read.log_p(1), -10, 1e-3);
  EXPECT_NEAR(read.log_p(2), -16, 1e-3);
  EXPECT_NEAR(read.log_p(3), -16, 1e-3);
}

TEST(ReferenceRow, OfEqualLogitsIsEven) {
  const std::vector<uint16_t> row = encoded({2, 2, 2, 2});
  const ReferenceRow read(row, 4);
  EXPECT_NEAR(read.log_p(3), -std::log(4.0), 1e-6);
}

class ReferenceFileTest : public testing::Test {
 protected:
  static TokenChunks text() {
    std::vector<TokenId> tokens;
    for (TokenId i = 0; i < kContext * kChunks + 5; ++i) tokens.push_back(i % kVocab);
    return cut_tokens(tokens, std::nullopt, {.n_ctx = kContext});
  }

  void write() const {
    ReferenceWriter writer(path_, text(), kVocab);
    for (int64_t i = 0; i < kChunks * kPredicted; ++i) writer.write(encoded(test::normal(kVocab, static_cast<uint64_t>(i))));
    writer.commit();
  }

  std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path_, std::ios::binary).rdbuf();
    return out.str();
  }

  std::string error_of(const std::string& content) const {
    const std::string path = dir_.write("bad.bin", content);
    return test::error_of([&] { ReferenceFile file(path); }).what();
  }

  // The file with a number at `at` replaced.
  template <class T>
  std::string changed(size_t at, T value) const {
    std::string out = content();
    std::memcpy(out.data() + at, &value, sizeof(value));
    return out;
  }

  test::TempDir dir_;
  std::string path_ = dir_.path("r.bin");
};

TEST_F(ReferenceFileTest, IsReadAsItWasWritten) {
  write();
  const ReferenceFile file(path_);
  EXPECT_EQ(file.n_ctx(), kContext);
  EXPECT_EQ(file.n_vocab(), kVocab);
  EXPECT_EQ(file.chunks(), kChunks);
  const std::vector<TokenId> all = text().tokens;
  EXPECT_EQ(file.tokens(), std::vector<TokenId>(all.begin(), all.begin() + kContext * kChunks));
  const std::vector<float> logits = test::normal(kVocab, 4);
  EXPECT_NEAR(file.row(1, 1).log_p(7), static_cast<double>(logits[7]) - LogSoftmax(logits).log_sum, 16.0 / 65535);
}

TEST_F(ReferenceFileTest, IsNotThereUntilItIsComplete) {
  {
    ReferenceWriter writer(path_, text(), kVocab);
    writer.write(encoded(test::normal(kVocab, 1)));
  }
  EXPECT_EQ(dir_.files(), 0U);
}

TEST_F(ReferenceFileTest, HasNoStride) {
  const TokenChunks strided = cut_tokens(text().tokens, std::nullopt, {.n_ctx = kContext, .stride = 2});
  EXPECT_THAT(test::error_of([&] { ReferenceWriter(path_, strided, kVocab); }).what(), HasSubstr("stride"));
}

TEST_F(ReferenceFileTest, EveryCutIsAnError) {
  write();
  const std::string whole = content();
  for (size_t n = 0; n < whole.size(); n += n < 40 ? 1 : 13)
    EXPECT_THAT(error_of(whole.substr(0, n)), HasSubstr("bad.bin: ")) << n;
  EXPECT_THAT(error_of(whole.substr(0, whole.size() - 1)), HasSubstr("the file is cut short: 2 windows of 3 positions"));
  EXPECT_THAT(error_of(whole + "xy"), HasSubstr("2 bytes follow after the last window"));
}

TEST_F(ReferenceFileTest, NamesSizesThatMakeNoSense) {
  write();
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  EXPECT_THAT(error_of("_logins_" + content().substr(8)), HasSubstr("it does not begin with _logits_"));
  EXPECT_THAT(error_of(changed(8, int32_t{2})), HasSubstr("n_ctx is 2, less than 3"));
  EXPECT_THAT(error_of(changed(12, int32_t{0})), HasSubstr("n_vocab is 0"));
  EXPECT_THAT(error_of(changed(16, int32_t{-1})), HasSubstr("the number of windows is -1"));
  EXPECT_THAT(error_of(changed(8, kHuge)), HasSubstr("tokens: length"));
  EXPECT_THAT(error_of(changed(12, kHuge)), HasSubstr("cut short"));
  EXPECT_THAT(error_of(changed(16, kHuge)), HasSubstr("tokens: length"));
  std::string all_huge = changed(8, kHuge);
  std::memcpy(all_huge.data() + 12, &kHuge, sizeof(kHuge));
  std::memcpy(all_huge.data() + 16, &kHuge, sizeof(kHuge));
  EXPECT_THAT(error_of(all_huge), HasSubstr("tokens: length"));
  EXPECT_THAT(error_of(changed(20, int32_t{33})), HasSubstr("token 33 is outside its vocabulary of 33"));
  EXPECT_THAT(error_of(changed(20, int32_t{-1})), HasSubstr("token -1"));
}

TEST_F(ReferenceFileTest, FlippedBitsDoNoHarm) {
  write();
  const std::string whole = content();
  for (size_t i = 0; i < whole.size(); i += i < 120 ? 1 : 7) {
    std::string spoilt = whole;
    spoilt[i] = static_cast<char>(spoilt[i] ^ (1 << i % 8));
    const std::string path = dir_.write("spoilt.bin", spoilt);
    try {
      const ReferenceFile file(path);
      for (int64_t chunk = 0; chunk < file.chunks(); ++chunk)
        EXPECT_LE(file.row(chunk, 0).log_p(file.n_vocab() - 1), 0.02) << i;
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("spoilt.bin: ")) << i;
    }
  }
}

TEST_F(ReferenceFileTest, NamesRowsThatAreNoProbabilities) {
  write();
  const size_t row = 20 + kContext * kChunks * sizeof(TokenId);
  for (const float scale : {-1.0F, HUGE_VALF, std::numeric_limits<float>::quiet_NaN()}) {
    const std::string path = dir_.write("bad.bin", changed(row, scale));
    EXPECT_THAT(test::error_of([&] { ReferenceFile(path).row(0, 0); }).what(), HasSubstr("are no log-probabilities"));
  }
  const std::string path = dir_.write("bad.bin", changed(row + 4, 1.0F));
  EXPECT_THAT(test::error_of([&] { ReferenceFile(path).row(0, 0); }).what(), HasSubstr("bad.bin: steps of"));
}

TEST_F(ReferenceFileTest, NamesAFileThatIsNotThere) {
  EXPECT_EQ(test::error_of([] { ReferenceFile("/nonexistent.bin"); }).code(), Errc::kNotFound);
}

}  // namespace
}  // namespace skald::reference_file_test
