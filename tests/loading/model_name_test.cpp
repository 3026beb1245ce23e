// Models have the names that people know their files by.
#include "loading/model_name.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace skald {
namespace {

TEST(ModelName, IsTheStemOfAFile) {
  EXPECT_EQ(name_of_path("/models/qwen2.5-0.5b-q4_k_m.gguf"), "qwen2.5-0.5b-q4_k_m");
  EXPECT_EQ(name_of_path("big-00001-of-00003.gguf"), "big");
  EXPECT_EQ(name_of_path(""), "");
}

TEST(ModelName, OfALaterShardIsNone) {
  EXPECT_EQ(name_of_stem("big-00001-of-00003"), "big");
  EXPECT_EQ(name_of_stem("big-00002-of-00003"), "");
  EXPECT_EQ(name_of_stem("no-shard-1"), "no-shard-1");
}

TEST(ModelName, OfAFolderIsItsOwnOrThatOfItsRepository) {
  const test::TempDir dir;
  const std::filesystem::path plain = dir.path("Phi-3-mini");
  const std::filesystem::path cached = dir.path("models--qwen--Qwen2.5-0.5B/snapshots/0123abcd");
  std::filesystem::create_directories(plain);
  std::filesystem::create_directories(cached);
  EXPECT_EQ(name_of_path(plain.string()), "Phi-3-mini");
  EXPECT_EQ(name_of_path(plain.string() + "/"), "Phi-3-mini");
  EXPECT_EQ(name_of_path(cached.string()), "Qwen2.5-0.5B");
}

}  // namespace
}  // namespace skald
