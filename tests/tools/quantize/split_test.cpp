// Cutting model files into shards and joining them: plans, round trips, and outputs that are complete or not there.
#include "tools/quantize/split.h"
#include "tests/support/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "io/gguf.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SplitTest : public testing::Test {
 protected:
  // Tensors of 32, 64, 96, ... bytes: "t0", "t1", ...
  void write(int tensors, uint32_t alignment = 32) {
    GgufWriter w;
    w.meta.set("general.architecture", std::string("llama"));
    w.meta.set("general.alignment", alignment);
    for (int i = 0; i < tensors; ++i) {
      data_.emplace_back(static_cast<size_t>(32 * (i + 1)), static_cast<std::byte>(i + 1));
      w.add_tensor("t" + std::to_string(i), Shape{8 * (i + 1)}, 0, data_.back());
    }
    w.write(in_);
  }

  std::vector<size_t> sizes(const SplitOptions& options) const {
    std::vector<size_t> out;
    for (const PlannedShard& s : plan_split(in_, prefix_, options)) out.push_back(s.tensors);
    return out;
  }

  static std::string content(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
  }

  test::TempDir dir_;
  std::string in_ = dir_.path("in.gguf"), prefix_ = dir_.path("out");
  std::vector<std::vector<std::byte>> data_;
};

TEST_F(SplitTest, CountsTensors) {
  write(7);
  EXPECT_THAT(sizes({}), ElementsAre(7));
  EXPECT_THAT(sizes({.max_tensors = 3}), ElementsAre(3, 3, 1));
  EXPECT_THAT(sizes({.max_tensors = 1}), ElementsAre(1, 1, 1, 1, 1, 1, 1));
  EXPECT_THAT(sizes({.max_tensors = 3, .no_tensor_first_split = true}), ElementsAre(0, 3, 3, 1));
}

TEST_F(SplitTest, CountsBytesButNeverCutsATensor) {
  write(5);  // 32, 64, 96, 128, 160 bytes
  EXPECT_THAT(sizes({.max_bytes = 192}), ElementsAre(3, 1, 1));
  EXPECT_THAT(sizes({.max_bytes = 100}), ElementsAre(2, 1, 1, 1));
  EXPECT_THAT(sizes({.max_bytes = 1}), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(sizes({.max_bytes = 1, .no_tensor_first_split = true}), ElementsAre(0, 1, 1, 1, 1, 1));
}

TEST_F(SplitTest, ShardsOpenAsOneModelAndMergeToTheSameFile) {
  for (const uint32_t alignment : {32u, 64u}) {
    write(7, alignment);
    for (const bool empty_first : {false, true}) {
      test::Heard heard;
      const std::vector<PlannedShard> shards =
          split_file(in_, prefix_, {.max_tensors = 3, .no_tensor_first_split = empty_first}, heard.callback());
      EXPECT_TRUE(heard.went_to_the_end());
      const Gguf joined = Gguf::open(shards.back().path, FileBytes::How::kMap);
      ASSERT_EQ(joined.tensors().size(), 7u);
      EXPECT_EQ(joined.find("t6")->data[0], std::byte{7});
      const MergedFile merged = merge_files(shards[1].path, dir_.path("merged.gguf"), {});
      EXPECT_EQ(merged.shards, static_cast<int64_t>(shards.size()));
      EXPECT_EQ(merged.tensors, 7);
      EXPECT_EQ(content(dir_.path("merged.gguf")), content(in_));
    }
  }
}

TEST_F(SplitTest, KeepsTheAlignmentInEveryShard) {
  write(4, 64);
  split_file(in_, prefix_, {.max_tensors = 2}, {});
  const Gguf joined = Gguf::open(dir_.path("out-00001-of-00002.gguf"), FileBytes::How::kMap);
  for (const GgufTensor& t : joined.tensors()) EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data.data()) % 64, 0u) << t.name;
}

TEST_F(SplitTest, ThatIsEndedLeavesNothing) {
  write(7);
  const auto stop = [](int64_t done, int64_t total) {
    if (2 * done > total) throw std::runtime_error("stop");
  };
  EXPECT_THROW(split_file(in_, prefix_, {.max_tensors = 1}, stop), std::runtime_error);
  EXPECT_EQ(dir_.files(), 1U);
  split_file(in_, prefix_, {.max_tensors = 4}, {});
  EXPECT_THROW(merge_files(dir_.path("out-00001-of-00002.gguf"), dir_.path("merged.gguf"), stop), std::runtime_error);
  EXPECT_EQ(dir_.files(), 3U);
}

TEST_F(SplitTest, WithOneShardThatCannotBeWrittenWritesNone) {
  write(7);
  std::filesystem::create_directory(dir_.path("out-00003-of-00003.gguf"));
  EXPECT_EQ(test::error_of([&] { split_file(in_, prefix_, {.max_tensors = 3}, {}); }).code(), Errc::kBadInput);
  EXPECT_EQ(dir_.files(), 2U);
}

TEST_F(SplitTest, DoesNotWriteWhatItReads) {
  write(4);
  split_file(in_, prefix_, {.max_tensors = 2}, {});
  const std::string shard = dir_.path("out-00001-of-00002.gguf");
  EXPECT_THAT(test::error_of([&] { split_file(shard, prefix_, {.max_tensors = 3}, {}); }).what(), HasSubstr("is read"));
  EXPECT_THAT(test::error_of([&] { merge_files(shard, dir_.path("out-00002-of-00002.gguf"), {}); }).what(),
              HasSubstr("out-00002-of-00002.gguf is read"));
}

TEST_F(SplitTest, NamesWhatIsWrong) {
  write(1);
  EXPECT_THAT(test::error_of([&] { merge_files(in_, dir_.path("x.gguf"), {}); }).what(),
              HasSubstr("in.gguf: its name is not that of a shard, as in x-00001-of-00003.gguf"));
  EXPECT_EQ(test::error_of([&] { split_file(dir_.path("none.gguf"), prefix_, {}, {}); }).code(), Errc::kNotFound);
  EXPECT_EQ(test::error_of([&] { merge_files(dir_.path("a-00001-of-00002.gguf"), dir_.path("x.gguf"), {}); }).code(),
            Errc::kNotFound);
}

}  // namespace
}  // namespace skald
