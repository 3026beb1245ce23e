// Importance matrices: both forms of the file round trip, and a file's fault is named.
#include "tools/measure/imatrix_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "io/gguf.h"
#include "tensor/format.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kUp = "blk.0.ffn_up.weight";
constexpr const char* kExperts = "blk.0.ffn_up_exps.weight";

// Of one weight, and of two experts of which the second met no row.
Imatrix small() {
  Imatrix m;
  m.entries[kUp] = {{8, 4, 2}, {4}};
  m.entries[kExperts] = {{2, 6, 0, 0}, {2, 0}};
  m.datasets = {"a.txt", "b.txt"};
  m.chunk_count = 2;
  m.chunk_size = 3;
  return m;
}

// A .dat file field by field.
class Dat {
 public:
  Dat& i32(int32_t v) { return raw(v); }
  Dat& f32(float v) { return raw(v); }
  Dat& text(std::string_view s) {
    i32(static_cast<int32_t>(s.size()));
    bytes_ += s;
    return *this;
  }
  const std::string& str() const { return bytes_; }

 private:
  template <class T>
  Dat& raw(T v) {
    bytes_.append(reinterpret_cast<const char*>(&v), sizeof(v));
    return *this;
  }
  std::string bytes_;
};

std::string error_of_content(std::string_view content) {
  const test::TempDir dir;
  const std::string path = dir.write("x.imatrix", content);
  return test::error_of([&] { read_imatrix(path); }).what();
}

// A GGUF file with one pair of tensors.
std::string error_of_tensors(const std::vector<float>& sums, const std::vector<float>& counts) {
  const test::TempDir dir;
  GgufWriter w;
  if (!sums.empty())
    w.add_tensor("w.in_sum2", {static_cast<int64_t>(sums.size())}, format_f32.id, std::as_bytes(std::span(sums)));
  if (!counts.empty())
    w.add_tensor("w.counts", {static_cast<int64_t>(counts.size())}, format_f32.id, std::as_bytes(std::span(counts)));
  w.write(dir.path("x.gguf"));
  return test::error_of([&] { read_imatrix(dir.path("x.gguf")); }).what();
}

TEST(ImatrixFile, GgufKeepsEverything) {
  const test::TempDir dir;
  write_imatrix(small(), dir.path("m.gguf"), ImatrixFormat::kGguf);
  const Imatrix m = read_imatrix(dir.path("m.gguf"));
  ASSERT_THAT(m.entries, SizeIs(2));
  EXPECT_THAT(m.entries.at(kUp).sums, ElementsAre(8, 4, 2));
  EXPECT_THAT(m.entries.at(kUp).counts, ElementsAre(4));
  EXPECT_THAT(m.entries.at(kExperts).sums, ElementsAre(2, 6, 0, 0));
  EXPECT_THAT(m.entries.at(kExperts).counts, ElementsAre(2, 0));
  EXPECT_THAT(m.datasets, ElementsAre("a.txt", "b.txt"));
  EXPECT_EQ(m.chunk_count, 2);
  EXPECT_EQ(m.chunk_size, 3);
}

TEST(ImatrixFile, GgufHasTheTensorsThatOthersLookFor) {
  const test::TempDir dir;
  write_imatrix(small(), dir.path("m.gguf"), ImatrixFormat::kGguf);
  const Gguf file = Gguf::open(dir.path("m.gguf"), FileBytes::How::kRead);
  EXPECT_EQ(file.meta().str("general.type"), "imatrix");
  EXPECT_EQ(file.meta().i64("imatrix.chunk_size"), 3);
  EXPECT_EQ(file.find("blk.0.ffn_up_exps.weight.in_sum2")->shape, (Shape{2, 2}));
  EXPECT_EQ(file.find("blk.0.ffn_up_exps.weight.counts")->shape, (Shape{2, 1}));
}

TEST(ImatrixFile, DatKeepsMeans) {
  const test::TempDir dir;
  write_imatrix(small(), dir.path("m.dat"), ImatrixFormat::kDat);
  const Imatrix m = read_imatrix(dir.path("m.dat"));
  ASSERT_THAT(m.entries, SizeIs(2));
  EXPECT_EQ(m.entries.at(kUp).means(), small().entries.at(kUp).means());
  EXPECT_EQ(m.entries.at(kExperts).means(), small().entries.at(kExperts).means());
  EXPECT_THAT(m.entries.at(kUp).counts, ElementsAre(2)) << "4 rows are 2 chunks of up to 3";
  EXPECT_THAT(m.datasets, ElementsAre("b.txt"));
  EXPECT_EQ(m.chunk_count, 2);
  EXPECT_EQ(m.chunk_size, 0);
}

TEST(ImatrixFile, DatLeavesOutWhatMetNoRow) {
  const test::TempDir dir;
  Imatrix m = small();
  m.entries["idle"] = {{0, 0}, {0}};
  write_imatrix(m, dir.path("m.dat"), ImatrixFormat::kDat);
  EXPECT_FALSE(read_imatrix(dir.path("m.dat")).entries.contains("idle"));
}

TEST(ImatrixFile, OldDatFilesEndAfterTheEntries) {
  const test::TempDir dir;
  const std::string path = dir.write("m.dat", Dat().i32(1).text("w").i32(0).i32(2).f32(3).f32(5).str());
  const Imatrix m = read_imatrix(path);
  EXPECT_THAT(m.entries.at("w").means(), ElementsAre(3, 5));
  EXPECT_THAT(m.datasets, SizeIs(0));
}

TEST(ImatrixFile, MeansOfUnseenExpertsAreOne) {
  EXPECT_THAT(small().entries.at(kExperts).means(), ElementsAre(1, 3, 1, 1));
  EXPECT_THAT((Imatrix::Entry{{2, 4, 6, 8}, {2}}.means()), ElementsAre(1, 2, 3, 4)) << "one count for all";
}

TEST(ImatrixFile, HostileDat) {
  EXPECT_THAT(error_of_content(""), HasSubstr("x.imatrix: the file is cut short: number of entries needs 4 bytes"));
  EXPECT_THAT(error_of_content(Dat().i32(0).str()), HasSubstr("number of entries: 0 is too few"));
  EXPECT_THAT(error_of_content(Dat().i32(-5).str()), HasSubstr("number of entries: -5 is too few"));
  EXPECT_THAT(error_of_content(Dat().i32(0x7fffffff).str()), HasSubstr("number of entries: length 2147483647 does not fit"));
  const auto one = [] { return Dat().i32(1); };
  EXPECT_THAT(error_of_content(one().i32(-1).text("0123456789abcdef").str()), HasSubstr("name of an entry: -1 is too few"));
  EXPECT_THAT(error_of_content(one().i32(1 << 30).text("0123456789abcdef").str()), HasSubstr("name of an entry: length"));
  EXPECT_THAT(error_of_content(one().text("blk\n0").i32(-1).i32(1).f32(1).str()), HasSubstr(R"(entry blk\n0: -1 is not)"));
  EXPECT_THAT(error_of_content(one().text("w1").i32(1).i32(0x7fffffff).f32(1).str()), HasSubstr("w1: values: length"));
  EXPECT_THAT(error_of_content(one().text("w1").i32(1).i32(0).f32(1).str()), HasSubstr("w1: values: 0 is too few"));
  EXPECT_THAT(error_of_content(one().text("w1").i32(1).i32(1).f32(-2).str()),
              HasSubstr("w1: value 0 is -2, which is no sum"));
  const Dat twice = Dat().i32(2).text("w1").i32(1).i32(1).f32(1).text("w1").i32(1).i32(1).f32(1);
  EXPECT_THAT(error_of_content(twice.str()), HasSubstr("entry w1: it is there twice"));
  EXPECT_THAT(error_of_content(one().text("w1").i32(1).i32(1).f32(1).i32(3).i32(99).str()), HasSubstr("dataset: length 99"));
}

TEST(ImatrixFile, EveryCutOfADatFileIsAnError) {
  const std::string whole = Dat().i32(2).text("w1").i32(1).i32(2).f32(1).f32(2).text("w2").i32(1).i32(1).f32(1).str();
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_THAT(error_of_content(whole.substr(0, n)), HasSubstr("x.imatrix")) << n << " bytes";
}

// A spoilt file is an error, or a matrix whose sizes agree.
TEST(ImatrixFile, FlippedBitsDoNoHarm) {
  const test::TempDir dir;
  for (const ImatrixFormat format : {ImatrixFormat::kGguf, ImatrixFormat::kDat}) {
    write_imatrix(small(), dir.path("m"), format);
    std::ostringstream whole;
    whole << std::ifstream(dir.path("m"), std::ios::binary).rdbuf();
    for (size_t i = 0; i < whole.str().size(); ++i) {
      std::string spoilt = whole.str();
      spoilt[i] = static_cast<char>(spoilt[i] ^ (1 << i % 8));
      const std::string path = dir.write("spoilt", spoilt);
      try {
        for (const auto& named : read_imatrix(path).entries)
          EXPECT_EQ(named.second.means().size(), named.second.sums.size()) << i;
      } catch (const Error& e) {
        EXPECT_THAT(e.what(), HasSubstr("spoilt: ")) << i;
      }
    }
  }
}

TEST(ImatrixFile, HostileGguf) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_of_tensors({1, 2}, {}), HasSubstr("tensor w.in_sum2 has no w.counts"));
  EXPECT_THAT(error_of_tensors({}, {1}), HasSubstr("tensor w.counts has no w.in_sum2"));
  EXPECT_THAT(error_of_tensors({1, 2, 3}, {1, 1}), HasSubstr("w: 3 values do not divide among 2 counts"));
  EXPECT_THAT(error_of_tensors({1, kNan}, {1}), HasSubstr("tensor w.in_sum2: value 1 is nan"));
  EXPECT_THAT(error_of_tensors({1, HUGE_VALF}, {1}), HasSubstr("value 1 is inf"));
  EXPECT_THAT(error_of_tensors({1}, {-1}), HasSubstr("tensor w.counts: -1 is not a count"));
  EXPECT_THAT(error_of_tensors({1}, {kNan}), HasSubstr("tensor w.counts: nan is not a count"));
  EXPECT_THAT(error_of_tensors({}, {}), HasSubstr("it has no entries for any weight"));
}

TEST(ImatrixFile, RefusesModels) {
  const test::TempDir dir;
  GgufWriter w;
  w.meta.set("general.type", std::string("model"));
  w.write(dir.path("x.gguf"));
  EXPECT_THAT(test::error_of([&] { read_imatrix(dir.path("x.gguf")); }).what(),
              HasSubstr("it is not an importance matrix: general.type is \"model\""));
}

TEST(ImatrixFile, IsParsedWithoutAFile) {
  const std::string dat = Dat().i32(1).text("w").i32(1).i32(1).f32(3).str();
  EXPECT_THAT(parse_imatrix(std::as_bytes(std::span(dat))).entries.at("w").means(), ElementsAre(3));
}

TEST(ImatrixFile, NamesTheFileThatIsNotThere) {
  const Error e = test::error_of([] { read_imatrix("/nonexistent/m.gguf"); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr("/nonexistent/m.gguf"));
}

TEST(ImatrixFile, DatNeedsTheSizeOfAChunk) {
  const test::TempDir dir;
  Imatrix m = small();
  m.chunk_size = 0;
  const Error e = test::error_of([&] { write_imatrix(m, dir.path("m.dat"), ImatrixFormat::kDat); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_EQ(dir.files(), 0U);
}

}  // namespace
}  // namespace skald
