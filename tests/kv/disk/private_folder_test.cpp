#include "kv/disk/private_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

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

TEST(PrivateFolder, TwoWriteAFileAtTheSameTime) {
  const test::TempDir dir;
  const PrivateFolder one(dir.path("f")), other(dir.path("f"));
  const std::string first(1000, 'a'), second(2000, 'b');
  const auto write = [](const PrivateFolder& folder, const std::string& text) {
    for (int i = 0; i < 500; ++i) folder.write("x", {bytes(text)});
  };
  write(one, first);
  std::thread beside([&] { write(other, second); });
  for (int i = 0; i < 500; ++i) {
    one.write("x", {bytes(first)});
    const std::string text = text_of(one.read("x", 5000));
    EXPECT_TRUE(text == first || text == second) << text.size();
  }
  beside.join();
  EXPECT_THAT(one.names(), testing::ElementsAre("x"));
}

TEST(PrivateFolder, OnlyOldUnfinishedFilesAreAbandoned) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  const std::string ending = ".0123456789abcdef.unfinished";
  EXPECT_EQ(PrivateFolder::unfinished("x" + ending), "x");
  for (const std::string name : {"x", ".unfinished", "x.unfinished", "x.0123456789abcdeg.unfinished"})
    EXPECT_FALSE(PrivateFolder::unfinished(name)) << name;
  EXPECT_FALSE(PrivateFolder::unfinished(ending)) << "of no file";
  const fs::path young = dir.write("f/young" + ending, "half"), old = dir.write("f/old" + ending, "half"),
                 ahead = dir.write("f/ahead" + ending, "half");
  fs::last_write_time(young, fs::file_time_type::clock::now() - std::chrono::minutes(50));
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::minutes(70));
  fs::last_write_time(ahead, fs::file_time_type::clock::now() + std::chrono::minutes(5));
  for (const std::string& name : folder.names()) folder.remove_abandoned(name);
  EXPECT_TRUE(fs::exists(young));
  EXPECT_TRUE(fs::exists(ahead)) << "by another clock";
  EXPECT_FALSE(fs::exists(old));
}

TEST(PrivateFolder, LinksAndPipesAreNotFollowed) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  dir.write("secret", "secret");
  fs::create_symlink(dir.path("secret"), dir.path("f/link"));
  ASSERT_EQ(::mkfifo(dir.path("f/pipe").c_str(), 0600), 0);
  fs::create_directory(dir.path("f/folder"));
  for (const char* name : {"link", "pipe", "folder", "none"}) EXPECT_EQ(text_of(folder.read(name, 100)), "(none)") << name;
  for (const char* name : {"link", "pipe", "folder", "none"}) {
    EXPECT_FALSE(folder.about(name)) << name;
    EXPECT_FALSE(folder.about_now(name)) << name;
  }
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
  EXPECT_THAT(folder.names(), testing::ElementsAre("folder"));
}

TEST(PrivateFolder, TellsWhenFilesChanged) {
  const test::TempDir dir;
  const PrivateFolder folder(dir.path("f"));
  folder.write("a", {bytes("1")}, 5'000'000'007);
  const PrivateFolder::File want{.bytes = 1, .changed = 5'000'000'007};
  EXPECT_EQ(folder.about("a"), want);
  EXPECT_EQ(folder.about_now("a"), want);
  EXPECT_EQ(folder.open("a", 1)->file, want);
  folder.set_changed("a", 6'000'000'000);
  EXPECT_EQ(folder.about("a")->changed, 6'000'000'000);
  folder.remove("a");
  folder.remove("a");
  EXPECT_FALSE(folder.about("a"));
  EXPECT_TRUE(folder.names().empty());
}

TEST(PrivateFolder, AnotherFileOfTheSameNameIsNotRemoved) {
  const test::TempDir dir;
  const PrivateFolder one(dir.path("f")), other(dir.path("f"));
  one.write("x", {bytes("bad")}, 5);
  const PrivateFolder::File bad = one.open("x", 100)->file;
  other.write("x", {bytes("yes")}, 6);
  EXPECT_FALSE(one.remove_same("x", bad));
  EXPECT_EQ(text_of(one.read("x", 100)), "yes");
  EXPECT_TRUE(one.remove_same("x", one.open("x", 100)->file));
  EXPECT_FALSE(one.about("x"));
  EXPECT_FALSE(one.remove_same("x", bad));
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
