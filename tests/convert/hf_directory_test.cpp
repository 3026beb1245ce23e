#include "convert/hf_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/convert/hf_folder.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using test::HfFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(HfDirectory, IsAFolderWithAConfiguration) {
  const HfFolder folder(nlohmann::json{{"a", 1}});
  EXPECT_TRUE(is_hf_directory(folder.path()));
  EXPECT_EQ(folder.open().config()["a"], 1);
  const test::TempDir other;
  EXPECT_TRUE(is_hf_directory(other.path(""))) << "it is told what it lacks";
  EXPECT_FALSE(is_hf_directory(other.write("f", "")));
  EXPECT_EQ(test::error_of([&] { HfDirectory d(other.path("")); }).code(), Errc::kNotFound);
  EXPECT_EQ(test::error_of([&] { HfDirectory d(other.path("none")); }).code(), Errc::kNotFound);
}

TEST(HfDirectory, NameIsThatOfTheFolderItself) {
  const test::TempDir dir;
  std::filesystem::create_directory(dir.path("Llama-3"));
  dir.write("Llama-3/config.json", "{}");
  EXPECT_EQ(HfDirectory(dir.path("Llama-3")).name(), "Llama-3");
  EXPECT_EQ(HfDirectory(dir.path("Llama-3/")).name(), "Llama-3");
  EXPECT_EQ(HfDirectory(dir.path("Llama-3/.")).name(), "Llama-3");
}

TEST(HfDirectory, NamesInCachesAreNoHashes) {
  const std::string hash = "0123456789abcdef0123456789abcdef01234567";
  const test::TempDir dir;
  const auto name = [&](const std::string& folder, const char* config) {
    std::filesystem::create_directories(dir.path(folder));
    dir.write(folder + "/config.json", config);
    return HfDirectory(dir.path(folder)).name();
  };
  EXPECT_EQ(name("models--acme--Tiny-Llama/snapshots/" + hash, "{}"), "Tiny-Llama");
  EXPECT_EQ(name("models--gpt2/snapshots/" + hash, "{}"), "gpt2");
  EXPECT_EQ(name("a/" + hash, R"({"_name_or_path": 3})"), "model");
  EXPECT_EQ(name("b/" + hash, R"({"_name_or_path": "acme/Tiny-Llama"})"), "Tiny-Llama");
  EXPECT_EQ(name("c/" + hash, "{}"), "model");
}

TEST(HfDirectory, WhatIsThereInsteadOfAModel) {
  const auto bad = [](const char* file, const std::string& content, const char* message) {
    const test::TempDir dir;
    dir.write(file, content);
    EXPECT_THAT(test::error_of([&] { HfDirectory d(dir.path("")); }).what(), HasSubstr(message)) << file;
  };
  bad("adapter_config.json", "{}", "a LoRA adapter, not a model");
  bad("x.gguf", "GGUF", "x.gguf, which is a model file of its own");
  bad("params.json", "{}", "params.json, its authors' form");
  bad("other", "", "has no config.json");
  bad("config.json", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n", "is a Git LFS pointer");
}

TEST(HfDirectory, ConfigurationsThatAreNone) {
  for (const char* text : {"", "{", "[]", "3", "\xff"}) {
    HfFolder folder(nlohmann::json::object());
    folder.write("config.json", text);
    const Error e = test::error_of([&] { folder.open(); });
    EXPECT_EQ(e.code(), Errc::kBadFile) << text;
    EXPECT_THAT(e.what(), HasSubstr("config.json"));
  }
}

TEST(HfDirectory, NamesDoNotLeadOutOfIt) {
  const HfFolder folder(nlohmann::json::object());
  const HfDirectory dir = folder.open();
  for (const char* name : {"../config.json", "/etc/passwd", "a/b", "..", ".", "", "a\\b"}) {
    EXPECT_EQ(test::error_of([&] { dir.read(name); }).code(), Errc::kBadFile) << name;
    EXPECT_FALSE(dir.has(name));
  }
  EXPECT_EQ(test::error_of([&] { dir.read(std::string_view("a\0b", 3)); }).code(), Errc::kBadFile);
}

TEST(HfDirectory, FilesHaveAMostLength) {
  const HfFolder folder(nlohmann::json::object());
  folder.write("x", "12345");
  EXPECT_EQ(folder.open().read("x", 5), "12345");
  EXPECT_THAT(test::error_of([&] { folder.open().read("x", 4); }).what(), EndsWith("x: 5 bytes, want at most 4"));
  EXPECT_EQ(test::error_of([&] { folder.open().read("y"); }).code(), Errc::kNotFound);
  EXPECT_TRUE(folder.open().has("x"));
}

}  // namespace
}  // namespace skald
