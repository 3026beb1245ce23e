#include "kv/disk/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::private_folder_test {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string text_of(const std::optional<std::vector<std::byte>>& file) {
  if (!file) return "(none)";
  return {reinterpret_cast<const char*>(file->data()), file->size()};
}

mode_t mode_of(const fs::path& path) {
  struct stat s {};
  EXPECT_EQ(::lstat(path.c_str(), &s), 0);
  return s.st_mode & 0777;
}

TEST(PrivateFolder, IsMadeForItsOwnerAlone) {
  const test::TempDir dir;
  const fs::path path = fs::path(dir.path("a/b"));
  const PrivateFolder folder(path.string());
  folder.write("x", {bytes("hel"), bytes("lo")});
  EXPECT_EQ(mode_of(path), 0700u);
  EXPECT_EQ(mode_of(path / "x"), 0600u);
  EXPECT_EQ(text_of(folder.read("x", 100)), "hello");
  EXPECT_EQ(text_of(folder.read("x", 4)), "(none)");
  folder.write("x", {bytes("again")});
  EXPECT_EQ(text_of(folder.read("x", 100)), "again");
  EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 1);
}

TEST(PrivateFolder, WritesOverWhatAnotherProcessLeftUnfinished) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  dir.write("f/x" + std::string(PrivateFolder::kUnfinished), "a longer half");
  folder.write("x", {bytes("whole")});
  EXPECT_EQ(text_of(folder.read("x", 100)), "whole");
  EXPECT_EQ(folder.files().size(), 1u);
}

TEST(PrivateFolder, LinksAndPipesAreNotFollowed) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  dir.write("secret", "secret");
  fs::create_symlink(dir.path("secret"), dir.path("f/link"));
  ASSERT_EQ(::mkfifo(dir.path("f/pipe").c_str(), 0600), 0);
  fs::create_directory(dir.path("f/folder"));
  for (const char* name : {"link", "pipe", "folder", "none"}) EXPECT_EQ(text_of(folder.read(name, 100)), "(none)") << name;
  EXPECT_TRUE(folder.files().empty());
  folder.write("link", {bytes("mine")});
  EXPECT_EQ(text_of(folder.read("link", 100)), "mine");
  std::string kept;
  std::ifstream(dir.path("secret")) >> kept;
  EXPECT_EQ(kept, "secret");
}

TEST(PrivateFolder, WhatCannotBeWrittenIsSaid) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  fs::create_directory(dir.path("f/folder"));
  const Error error = test::error_of([&] { folder.write("folder", {bytes("x")}); });
  EXPECT_EQ(error.code(), Errc::kDevice);
  EXPECT_THAT(error.what(), testing::HasSubstr("f/folder"));
  EXPECT_TRUE(folder.files().empty());
}

TEST(PrivateFolder, TellsWhenFilesChanged) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  folder.write("a", {bytes("1")}, 5'000'000'007);
  ASSERT_EQ(folder.files().size(), 1u);
  EXPECT_EQ(folder.files()[0].changed, 5'000'000'007);
  EXPECT_EQ(folder.files()[0].bytes, 1);
  folder.set_changed("a", 6'000'000'000);
  EXPECT_EQ(folder.files()[0].changed, 6'000'000'000);
  folder.remove("a");
  folder.remove("a");
  EXPECT_TRUE(folder.files().empty());
}

TEST(PrivateFolder, OneHasItAtATime) {
  const test::TempDir dir;
  {
    PrivateFolder first(dir.path("f"));
    first.lock();
    PrivateFolder second(dir.path("f"));
    const Error error = test::error_of([&] { second.lock(); });
    EXPECT_EQ(error.code(), Errc::kBusy);
    EXPECT_THAT(error.what(), testing::HasSubstr(dir.path("f")));
  }
  PrivateFolder later(dir.path("f"));
  later.lock();
}

TEST(PrivateFolder, APathThatIsNoFolderIsAnError) {
  const test::TempDir dir;
  dir.write("file", "x");
  for (const std::string& path : {dir.path("file"), dir.path("file/below"), std::string("/proc/none")}) {
    const Error error = test::error_of([&] { PrivateFolder{path}; });
    EXPECT_EQ(error.code(), Errc::kDevice);
    EXPECT_THAT(error.what(), testing::HasSubstr(path));
  }
}

}  // namespace
}  // namespace skald::private_folder_test
