// Written files are read back; a write that fails leaves nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "io/gguf.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace skald::gguf_writer_test {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr uint32_t kF32 = 0, kQ8_0 = 8;

std::vector<std::byte> bytes_of(size_t n) {
  std::vector<std::byte> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<std::byte>(i * 7 + 1);
  return out;
}

// Every type of value and of array, with the ends of its range.
Meta every_type() {
  Meta m;
  const auto both = [&]<class T>(const char* name, T low, T high) {
    m.set(std::string(name) + ".low", low);
    m.set(std::string(name) + ".high", high);
    m.set(std::string(name) + ".array", MetaArray{std::vector<T>{low, high, low}});
    m.set(std::string(name) + ".empty", MetaArray{std::vector<T>{}});
  };
  const auto range = [&]<class T>(const char* name, T) {
    both(name, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max());
  };
  range("u8", uint8_t{});
  range("i8", int8_t{});
  range("u16", uint16_t{});
  range("i16", int16_t{});
  range("u32", uint32_t{});
  range("i32", int32_t{});
  range("f32", float{});
  both("bool", false, true);
  both("string", std::string(), std::string("k\0\xff\xc3\xa9\n", 6));
  range("u64", uint64_t{});
  range("i64", int64_t{});
  range("f64", double{});
  const MetaArray inner{std::vector<int32_t>{1, 2}}, text{std::vector<std::string>{"", "x"}};
  m.set("nested", MetaArray{std::vector<MetaArray>{inner, text, MetaArray{std::vector<MetaArray>{inner}}}});
  return m;
}

class GgufWriterTest : public ::testing::Test {
 protected:
  Error write_error(const std::string& path) {
    return test::error_of([&] { writer_.write(path); });
  }
  test::TempDir dir_;
  GgufWriter writer_;
};

TEST_F(GgufWriterTest, WhatIsWrittenIsReadBack) {
  const auto a = bytes_of(34 * 6), b = bytes_of(4), c = bytes_of(64);
  writer_.meta = every_type();
  writer_.add_tensor("a", Shape{2, 3, 32}, kQ8_0, a);
  writer_.add_tensor("b", Shape{1}, kF32, b);
  writer_.add_tensor("c", Shape{1, 2, 2, 4}, kF32, c);
  writer_.write(dir_.path("m.gguf"));

  const Gguf file = Gguf::open(dir_.path("m.gguf"), FileBytes::How::kRead);
  EXPECT_EQ(file.version(), 3u);
  EXPECT_EQ(file.meta().entries(), writer_.meta.entries());
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.find("a")->shape, (Shape{2, 3, 32}));
  EXPECT_EQ(file.find("c")->shape, (Shape{1, 2, 2, 4}));
  EXPECT_THAT(file.find("a")->data, ElementsAreArray(a));
  EXPECT_THAT(file.find("b")->data, ElementsAreArray(b));
  EXPECT_THAT(file.find("c")->data, ElementsAreArray(c));
  EXPECT_EQ(file.file_bytes() % 32, 0);
}

TEST_F(GgufWriterTest, WritesDataThatIsGivenInPieces) {
  const auto a = bytes_of(34 * 6), b = bytes_of(8);
  writer_.add_tensor("a", Shape{6, 32}, kQ8_0, [&](const TakeBytes& take) {
    for (size_t i = 0; i < a.size(); i += 50) take(std::span(a).subspan(i, std::min<size_t>(50, a.size() - i)));
    take({});
  });
  writer_.add_tensor("b", Shape{2}, kF32, b);
  EXPECT_EQ(writer_.data_bytes(), 34 * 6 + 8);
  writer_.write(dir_.path("m.gguf"));
  const Gguf file = Gguf::open(dir_.path("m.gguf"), FileBytes::How::kRead);
  EXPECT_THAT(file.find("a")->data, ElementsAreArray(a));
  EXPECT_THAT(file.find("b")->data, ElementsAreArray(b));
}

TEST_F(GgufWriterTest, DataOfAnotherSizeThanAnnouncedLeavesNoFile) {
  const auto data = bytes_of(12);
  for (const size_t given : {size_t{0}, size_t{4}, size_t{12}}) {
    GgufWriter writer;
    writer.add_tensor("t", Shape{2}, kF32, [&](const TakeBytes& take) { take(std::span(data).first(given)); });
    const Error e = test::error_of([&] { writer.write(dir_.path("m.gguf")); });
    EXPECT_EQ(e.code(), Errc::kInternal);
    EXPECT_THAT(e.what(), HasSubstr("tensor t: " + std::to_string(given) + " bytes were given, not 8"));
    EXPECT_EQ(dir_.files(), 0u);
  }
}

TEST_F(GgufWriterTest, AnErrorOfWhoGivesTheDataLeavesNoFile) {
  writer_.add_tensor("t", Shape{2}, kF32, [&](const TakeBytes&) { throw Error(Errc::kBadFile, "no more"); });
  EXPECT_STREQ(write_error(dir_.path("m.gguf")).what(), "no more");
  EXPECT_EQ(dir_.files(), 0u);
}

TEST_F(GgufWriterTest, AWholeModelDoesNotGetAShardsName) {
  const auto data = bytes_of(4);
  writer_.add_tensor("t", Shape{1}, kF32, data);
  const Error e = write_error(dir_.path("m-00001-of-00002.gguf"));
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), HasSubstr("one shard of several"));
  EXPECT_EQ(dir_.files(), 0u);
}

TEST_F(GgufWriterTest, AFileOfAnotherWriterSurvivesACopy) {
  const auto path = (test::data_dir() / "golden/llama_mha_q8_0/model.gguf").string();
  const Gguf original = Gguf::open(path, FileBytes::How::kMap);
  writer_.meta = original.meta();
  for (const GgufTensor& t : original.tensors()) writer_.add_tensor(t.name, t.shape, t.type->id, t.data);
  writer_.write(dir_.path("m.gguf"));

  const FileBytes want = FileBytes::open(path, FileBytes::How::kMap);
  const FileBytes got = FileBytes::open(dir_.path("m.gguf"), FileBytes::How::kMap);
  EXPECT_TRUE(std::equal(want.bytes().begin(), want.bytes().end(), got.bytes().begin(), got.bytes().end()));
}

TEST_F(GgufWriterTest, ObeysGeneralAlignment) {
  writer_.meta.set("general.alignment", uint32_t{256});
  const auto data = bytes_of(4);
  writer_.add_tensor("a", Shape{1}, kF32, data);
  writer_.add_tensor("b", Shape{1}, kF32, data);
  writer_.write(dir_.path("m.gguf"));
  const Gguf file = Gguf::open(dir_.path("m.gguf"), FileBytes::How::kMap);
  EXPECT_EQ(file.find("b")->data.data() - file.find("a")->data.data(), 256);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.find("a")->data.data()) % 256, 0u);
}

TEST_F(GgufWriterTest, AFileWithoutTensorsIsFine) {
  writer_.meta.set("k", true);
  writer_.write(dir_.path("m.gguf"));
  EXPECT_TRUE(Gguf::open(dir_.path("m.gguf"), FileBytes::How::kMap).meta().flag("k", false));
}

TEST_F(GgufWriterTest, ReplacesAnOldFileAndLeavesNoOther) {
  dir_.write("m.gguf", "old");
  writer_.write(dir_.path("m.gguf"));
  EXPECT_NO_THROW(Gguf::open(dir_.path("m.gguf"), FileBytes::How::kMap));
  EXPECT_EQ(dir_.files(), 1u);
}

TEST_F(GgufWriterTest, RefusesTensorsThatNoReaderWouldTake) {
  const auto data = bytes_of(34);
  const auto message = [&](std::string name, Shape shape, uint32_t type) {
    const Error e = test::error_of([&] { writer_.add_tensor(std::move(name), shape, type, data); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    return std::string(e.what());
  };
  EXPECT_THAT(message("", Shape{32}, kQ8_0), HasSubstr("name is empty"));
  EXPECT_THAT(message("t", Shape{32}, 4), HasSubstr("tensor t: type 4 is unknown"));
  EXPECT_THAT(message("t", Shape{2, 16}, kQ8_0), HasSubstr("tensor t: its rows of 16"));
  EXPECT_THAT(message("t", Shape{64}, kQ8_0), HasSubstr("tensor t: (64) of q8_0 takes 68 bytes, not 34"));
  EXPECT_THAT(message("t", Shape{0, 32}, kQ8_0), HasSubstr("empty dimension"));
  EXPECT_THAT(message("t", Shape{}, kQ8_0), HasSubstr("no dimensions"));
  writer_.add_tensor("t", Shape{32}, kQ8_0, data);
  EXPECT_THAT(message("t", Shape{32}, kQ8_0), HasSubstr("tensor t: the name is taken"));
}

TEST_F(GgufWriterTest, RefusesMetadataThatNoReaderWouldTake) {
  MetaArray deep{std::vector<uint8_t>{1}};
  for (int i = 0; i < 4; ++i) deep = MetaArray{std::vector<MetaArray>{deep}};
  writer_.meta.set("deep", deep);
  EXPECT_EQ(write_error(dir_.path("m.gguf")).code(), Errc::kBadInput);
  writer_.meta = {};
  writer_.meta.set("", true);
  EXPECT_THAT(write_error(dir_.path("m.gguf")).what(), HasSubstr("a key is empty"));
  writer_.meta = {};
  writer_.meta.set("general.alignment", uint32_t{12});
  EXPECT_EQ(write_error(dir_.path("m.gguf")).code(), Errc::kBadInput);
  EXPECT_EQ(dir_.files(), 0u);
}

TEST_F(GgufWriterTest, AMissingFolderIsNamed) {
  const Error e = write_error(dir_.path("absent/m.gguf"));
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr(dir_.path("absent/m.gguf")));
}

TEST_F(GgufWriterTest, FoldersAndDevicesAreNotReplaced) {
  EXPECT_EQ(write_error(dir_.path("")).code(), Errc::kBadInput);
  EXPECT_EQ(write_error("/dev/null").code(), Errc::kBadInput);
}

// Stands in for a full disk: the system refuses to let a file grow beyond the limit.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

TEST_F(GgufWriterTest, AFailingWriteLeavesTheOldFileAndNothingElse) {
  dir_.write("m.gguf", "old");
  const auto data = bytes_of(1 << 20);
  writer_.add_tensor("t", Shape{1 << 18}, kF32, data);
  const Error e = [&] {
    const FileSizeLimit limit(4096);
    return write_error(dir_.path("m.gguf"));
  }();
  EXPECT_EQ(e.code(), Errc::kDevice);
  EXPECT_THAT(e.what(), HasSubstr("cannot write " + dir_.path("m.gguf")));
  EXPECT_EQ(dir_.files(), 1u);
  EXPECT_EQ(FileBytes::open(dir_.path("m.gguf"), FileBytes::How::kRead).bytes().size(), 3u);
}

}  // namespace
}  // namespace skald::gguf_writer_test
