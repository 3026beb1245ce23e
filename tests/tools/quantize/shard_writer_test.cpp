// Shards as they are written: their names, their keys, and that none is there before all are.
#include "tools/quantize/shard_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::HasSubstr;

class ShardWriting : public testing::Test {
 protected:
  // "a" and "b" in a shard each.
  ShardWriter two_written() {
    Meta meta;
    meta.set("name", std::string("the whole"));
    meta.set("general.alignment", uint32_t{64});
    ShardWriter out(dir_.path("m"), 2, std::move(meta), 2);
    for (const char* name : {"a", "b"}) {
      GgufWriter writer;
      writer.add_tensor(name, Shape{8}, 0, data_);
      out.write(std::move(writer));
    }
    return out;
  }

  test::TempDir dir_;
  std::vector<std::byte> data_ = std::vector<std::byte>(32, std::byte{7});
};

TEST_F(ShardWriting, GivesNamesWhenAllAreComplete) {
  ShardWriter out = two_written();
  EXPECT_EQ(test::error_of([&] { Gguf::open(dir_.path("m-00001-of-00002.gguf"), FileBytes::How::kRead); }).code(),
            Errc::kNotFound);
  out.commit();
  EXPECT_EQ(dir_.files(), 2u);
  const Gguf file = Gguf::open(dir_.path("m-00001-of-00002.gguf"), FileBytes::How::kRead);
  EXPECT_EQ(file.meta().str("name"), "the whole");
  EXPECT_EQ(file.shards()[1].path, dir_.path("m-00002-of-00002.gguf"));
  EXPECT_EQ(file.shards()[1].tensors, 1u);
}

TEST_F(ShardWriting, LeavesNothingUnlessCommitted) {
  two_written();
  EXPECT_EQ(dir_.files(), 0u);
}

TEST_F(ShardWriting, RefusesMoreThanCanBeCounted) {
  EXPECT_THAT(test::error_of([&] { ShardWriter(dir_.path("m"), 65536, Meta(), 1); }).what(),
              HasSubstr("65536 shards are too many: at most 65535"));
}

}  // namespace
}  // namespace skald
