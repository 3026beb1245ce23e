// FileBytes, mapped and read: content, and rejected files.
#include "base/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <utility>

#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string text_of(const FileBytes& f) { return {reinterpret_cast<const char*>(f.bytes().data()), f.bytes().size()}; }

class FileBytesTest : public ::testing::TestWithParam<FileBytes::How> {
 protected:
  Error open_error(const std::string& path) {
    return test::error_of([&] { FileBytes::open(path, GetParam()); });
  }
  test::TempDir dir_;
};

TEST_P(FileBytesTest, HoldsTheWholeFile) {
  std::string content;
  for (int i = 0; i < 100000; ++i) content += std::to_string(i);
  const FileBytes file = FileBytes::open(dir_.write("f", content), GetParam());
  EXPECT_EQ(text_of(file), content);
}

TEST_P(FileBytesTest, BeginsAtAPageBoundary) {
  const FileBytes file = FileBytes::open(dir_.write("f", "x"), GetParam());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.bytes().data()) % 4096, 0u);
}

TEST_P(FileBytesTest, AnEmptyFileHasNoBytes) {
  EXPECT_TRUE(FileBytes::open(dir_.write("f", ""), GetParam()).bytes().empty());
}

TEST_P(FileBytesTest, MovingKeepsTheBytesInPlace) {
  FileBytes a = FileBytes::open(dir_.write("a", "first"), GetParam());
  FileBytes b = FileBytes::open(dir_.write("b", "second"), GetParam());
  const std::byte* where = a.bytes().data();
  b = std::move(a);
  EXPECT_EQ(text_of(b), "first");
  EXPECT_EQ(b.bytes().data(), where);
  const FileBytes c = std::move(b);
  EXPECT_EQ(text_of(c), "first");
}

TEST_P(FileBytesTest, AMissingFileIsNotFoundAndNamed) {
  const Error e = open_error(dir_.path("absent"));
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), AllOf(HasSubstr(dir_.path("absent")), HasSubstr("No such file or directory")));
}

TEST_P(FileBytesTest, AFolderIsRefused) {
  const Error e = open_error(dir_.path(""));
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), HasSubstr("is a directory"));
}

TEST_P(FileBytesTest, AFifoIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo(dir_.path("pipe").c_str(), 0600), 0);
  const Error e = open_error(dir_.path("pipe"));
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), HasSubstr("not a regular file"));
}

TEST_P(FileBytesTest, ADeviceIsRefused) { EXPECT_EQ(open_error("/dev/zero").code(), Errc::kBadFile); }

INSTANTIATE_TEST_SUITE_P(Hows, FileBytesTest, ::testing::Values(FileBytes::How::kMap, FileBytes::How::kRead),
                         [](const auto& info) { return info.param == FileBytes::How::kMap ? "Map" : "Read"; });

}  // namespace
}  // namespace skald
