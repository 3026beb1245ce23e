// Shards: names, joining, and every way in which they can contradict each other.
#include "io/gguf_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/gguf.h"
#include "io/output_file.h"
#include "tests/support/errors.h"
#include "tests/support/progress.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ShardName, IsTakenApartAndPutTogether) {
  const auto name = gguf::parse_shard_name("dir/model-q8_0-00002-of-00012.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "dir/model-q8_0");
  EXPECT_EQ(name->number, 2);
  EXPECT_EQ(name->count, 12);
  EXPECT_EQ(name->path(11), "dir/model-q8_0-00011-of-00012.gguf");
}

TEST(ShardName, OtherNamesAreNone) {
  for (const char* path :
       {"model.gguf", "", "x-0001-of-00002.gguf", "x-000001-of-00002.gguf", "x-00001-of-00002.bin", "x-00001-on-00002.gguf",
        "x_00001-of-00002.gguf", "x-0000a-of-00002.gguf", "x--0001-of-00002.gguf"})
    EXPECT_FALSE(gguf::parse_shard_name(path)) << path;
}

// Three shards: "a" and "b", nothing, "c".
class GgufSplitTest : public ::testing::Test {
 protected:
  using Change = std::function<void(int shard, GgufWriter&)>;

  std::string path(int shard) const { return dir_.path("m-0000" + std::to_string(shard) + "-of-00003.gguf"); }

  void write(const Change& change = {}) {
    for (int i = 1; i <= 3; ++i) {
      GgufWriter w;
      w.meta.set("name", std::string(i == 1 ? "first" : "other"));
      w.meta.set("split.no", static_cast<uint16_t>(i - 1));
      w.meta.set("split.count", uint16_t{3});
      w.meta.set("split.tensors.count", int32_t{3});
      if (i == 1) add(w, "a");
      if (i == 1) add(w, "b");
      if (i == 3) add(w, "c");
      if (change) change(i, w);
      OutputFile file(path(i));
      w.write(file);
      file.commit();
    }
  }

  void add(GgufWriter& w, const std::string& name) { w.add_tensor(name, Shape{8}, 0, data_); }

  Error error(int shard = 1) const {
    return test::error_of([&] { Gguf::open(path(shard), FileBytes::How::kMap); });
  }

  test::TempDir dir_;
  std::vector<std::byte> data_ = std::vector<std::byte>(32, std::byte{1});
};

TEST_F(GgufSplitTest, OpeningAnyShardGivesTheWholeModel) {
  write();
  for (int i = 1; i <= 3; ++i) {
    const Gguf file = Gguf::open(path(i), FileBytes::How::kMap);
    ASSERT_EQ(file.tensors().size(), 3u);
    for (const char* name : {"a", "b", "c"}) ASSERT_NE(file.find(name), nullptr) << name;
    EXPECT_EQ(file.find("c")->data[31], std::byte{1});
    EXPECT_EQ(file.meta().str("name"), "first");
    int64_t bytes = 0;
    for (int k = 1; k <= 3; ++k) bytes += static_cast<int64_t>(std::filesystem::file_size(path(k)));
    EXPECT_EQ(file.file_bytes(), bytes);
  }
}

TEST_F(GgufSplitTest, ReadingSaysHowMuchOfAllShardsIsThere) {
  write();
  test::Heard heard, mapped;
  const Gguf file = Gguf::open(path(2), FileBytes::How::kRead, heard.callback());
  EXPECT_TRUE(heard.went_to_the_end());
  EXPECT_EQ(heard.total(), file.file_bytes());
  Gguf::open(path(2), FileBytes::How::kMap, mapped.callback());
  EXPECT_TRUE(mapped.nothing());
}

TEST_F(GgufSplitTest, TheJoinedMetadataDescribesTheWhole) {
  write();
  const Gguf file = Gguf::open(path(1), FileBytes::How::kMap);
  for (const char* key : {"split.no", "split.count", "split.tensors.count"}) EXPECT_FALSE(file.meta().has(key)) << key;
}

TEST_F(GgufSplitTest, AMissingShardIsNamed) {
  write();
  std::filesystem::remove(path(2));
  const Error e = error();
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), AllOf(StartsWith(path(1)), HasSubstr("shard 2 of 3"), HasSubstr(path(2))));
}

TEST_F(GgufSplitTest, KeysThatContradictTheNameAreRefused) {
  write([](int i, GgufWriter& w) {
    if (i == 2) w.meta.set("split.no", uint16_t{2});
  });
  EXPECT_THAT(error().what(), AllOf(StartsWith(path(2)), HasSubstr("key split.no is 2 instead of 1")));
  write([](int i, GgufWriter& w) {
    if (i == 3) w.meta.set("split.count", uint16_t{4});
  });
  EXPECT_THAT(error().what(), AllOf(StartsWith(path(3)), HasSubstr("key split.count is 4 instead of 3")));
}

TEST_F(GgufSplitTest, AFileWithAShardsNameButNoKeysIsRefused) {
  write([](int i, GgufWriter& w) {
    if (i == 1) w.meta = {};
  });
  EXPECT_THAT(error().what(), HasSubstr("its name says shard 1 of 3, but the key split.count is missing"));
}

TEST_F(GgufSplitTest, AWholeModelMayBeNamedLikeAShard) {
  GgufWriter w;
  add(w, "a");
  w.write(dir_.path("whole.gguf"));
  std::filesystem::rename(dir_.path("whole.gguf"), dir_.path("whole-00002-of-00003.gguf"));
  EXPECT_EQ(Gguf::open(dir_.path("whole-00002-of-00003.gguf"), FileBytes::How::kMap).tensors().size(), 1u);
}

TEST_F(GgufSplitTest, AWrongNumberOfTensorsIsRefused) {
  write([](int, GgufWriter& w) { w.meta.set("split.tensors.count", int32_t{4}); });
  EXPECT_THAT(error().what(), HasSubstr("key split.tensors.count is 4, but the shards hold 3 tensors"));
}

TEST_F(GgufSplitTest, ATensorInTwoShardsIsRefused) {
  write([&](int i, GgufWriter& w) {
    if (i == 2) add(w, "a");
    w.meta.set("split.tensors.count", int32_t{4});
  });
  EXPECT_THAT(error().what(), HasSubstr("tensor a occurs twice"));
}

TEST_F(GgufSplitTest, ABrokenShardIsNamedWhicheverWasOpened) {
  write();
  dir_.write("m-00003-of-00003.gguf", "GGU");
  EXPECT_THAT(error(2).what(), AllOf(StartsWith(path(3)), HasSubstr("not a GGUF file")));
}

TEST_F(GgufSplitTest, ANumberBeyondTheCountIsRefused) {
  write();
  std::filesystem::copy_file(path(3), dir_.path("m-00004-of-00003.gguf"));
  std::filesystem::copy_file(path(3), dir_.path("m-00000-of-00003.gguf"));
  EXPECT_THAT(error(4).what(), HasSubstr("its name says shard 4 of 3"));
  EXPECT_THAT(error(0).what(), HasSubstr("its name says shard 0 of 3"));
}

TEST_F(GgufSplitTest, AShardUnderAnotherNameIsRefused) {
  write();
  std::filesystem::copy_file(path(2), dir_.path("renamed.gguf"));
  const Error e = test::error_of([&] { Gguf::open(dir_.path("renamed.gguf"), FileBytes::How::kMap); });
  EXPECT_THAT(e.what(), HasSubstr("it is shard 2 of 3, whose names must end as in <name>-00002-of-00003.gguf"));
}

TEST_F(GgufSplitTest, OneOfOneNeedsNoKeys) {
  GgufWriter w;
  add(w, "a");
  w.write(dir_.path("x-00001-of-00001.gguf"));
  EXPECT_EQ(Gguf::open(dir_.path("x-00001-of-00001.gguf"), FileBytes::How::kMap).tensors().size(), 1u);
}

}  // namespace
}  // namespace skald
