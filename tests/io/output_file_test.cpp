// A file appears complete or not at all.
#include "io/output_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/unfinished_files.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string content(const std::string& path) {
  const FileBytes file = FileBytes::open(path, FileBytes::How::kRead);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(OutputFile, AppearsWhenItIsCommitted) {
  const test::TempDir dir;
  OutputFile file(dir.path("f"));
  file.write(bytes("one "));
  file.write(bytes("two"));
  EXPECT_EQ(test::error_of([&] { content(dir.path("f")); }).code(), Errc::kNotFound);
  file.commit();
  EXPECT_EQ(content(dir.path("f")), "one two");
  EXPECT_EQ(dir.files(), 1u);
}

TEST(OutputFile, LeavesNothingWithoutCommit) {
  const test::TempDir dir;
  {
    OutputFile file(dir.path("f"));
    file.write(bytes("half"));
    EXPECT_EQ(dir.files(), 1u);
  }
  EXPECT_EQ(dir.files(), 0u);
}

TEST(OutputFile, WritesThroughSymbolicLinks) {
  const test::TempDir dir;
  std::filesystem::create_directory(dir.path("folder"));
  dir.write("folder/old", "old");
  std::filesystem::create_symlink("folder/old", dir.path("link"));
  std::filesystem::create_symlink("link", dir.path("link2"));
  std::filesystem::create_symlink("folder/new", dir.path("dangling"));
  for (const auto& [link, target] : {std::pair{"link2", "folder/old"}, {"dangling", "folder/new"}}) {
    OutputFile file(dir.path(link));
    file.write(bytes(link));
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(dir.path(link))) << link;
    EXPECT_EQ(content(dir.path(target)), link);
  }
  std::filesystem::create_symlink("b", dir.path("a"));
  std::filesystem::create_symlink("a", dir.path("b"));
  EXPECT_EQ(test::error_of([&] { OutputFile(dir.path("a")); }).code(), Errc::kBadInput);
}

TEST(OutputFile, KeepsTheModeOfWhatItReplaces) {
  const test::TempDir dir;
  using std::filesystem::perms;
  dir.write("f", "old");
  std::filesystem::permissions(dir.path("f"), perms::owner_read | perms::owner_write);
  OutputFile file(dir.path("f"));
  file.commit();
  EXPECT_EQ(std::filesystem::status(dir.path("f")).permissions(), perms::owner_read | perms::owner_write);
}

TEST(OutputFile, IsRemovedByAHandlerThatEndsTheProcess) {
  const test::TempDir dir;
  OutputFile file(dir.path("f"));
  EXPECT_EQ(dir.files(), 1u);
  remove_unfinished_files();
  EXPECT_EQ(dir.files(), 0u);
}

TEST(OutputFile, NeedsANameAndAFolder) {
  EXPECT_EQ(test::error_of([&] { OutputFile(""); }).code(), Errc::kBadInput);
  EXPECT_EQ(test::error_of([&] { OutputFile("/nosuch/f"); }).code(), Errc::kNotFound);
}

TEST(OutputFile, ThatIsFinishedHasNoNameYet) {
  const test::TempDir dir;
  {
    OutputFile a(dir.path("a")), b(dir.path("b"));
    a.write(bytes("one"));
    b.write(bytes("two"));
    a.finish();
    b.finish();
    EXPECT_EQ(test::error_of([&] { content(dir.path("a")); }).code(), Errc::kNotFound);
    a.commit();
  }
  EXPECT_EQ(content(dir.path("a")), "one");
  EXPECT_EQ(dir.files(), 1u) << "b was never named";
}

TEST(OutputFile, TwoWritersOfOneNameDoNotMix) {
  const test::TempDir dir;
  OutputFile a(dir.path("f")), b(dir.path("f"));
  a.write(bytes("a"));
  b.write(bytes("b"));
  a.commit();
  b.commit();
  EXPECT_EQ(content(dir.path("f")), "b");
  EXPECT_EQ(dir.files(), 1u);
}

}  // namespace
}  // namespace skald
