// Each kind of malformed file, and the message it gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "io/gguf.h"
#include "tests/io/gguf_bytes.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using test::GgufBytes;
using test::kArray, test::kBool, test::kF32, test::kQ8_0, test::kString, test::kUint32, test::kUint8;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();

void expect_bad(const GgufBytes& b, const std::string& message, Errc code = Errc::kBadFile) {
  const Error e = b.error();
  EXPECT_EQ(e.code(), code) << e.what();
  EXPECT_THAT(e.what(), HasSubstr(message));
}

// One tensor of 16 bytes at offset 0 and the given alignment.
GgufBytes aligned_file(uint32_t alignment) {
  GgufBytes b;
  b.head(1, 1).key("general.alignment", kUint32).number(alignment).tensor("t", {4}, kF32, 0).data(16);
  return b;
}

TEST(GgufMalformed, NotGguf) {
  expect_bad(GgufBytes(), "not a GGUF file: it has only 0 bytes");
  expect_bad(GgufBytes().number('G'), "not a GGUF file: it has only 1 bytes");
  expect_bad(GgufBytes().number(uint32_t{0x04034b50}).number(kHuge), R"(not a GGUF file: it begins with "PK\x03\x04")");
}

TEST(GgufMalformed, OtherVersions) {
  expect_bad(GgufBytes().head(0, 0, 1), "GGUF version 1 is not supported", Errc::kUnsupported);
  expect_bad(GgufBytes().head(0, 0, 4), "GGUF version 4 is not supported", Errc::kUnsupported);
  expect_bad(GgufBytes().head(0, 0, 0), "GGUF version 0 is not supported", Errc::kUnsupported);
}

TEST(GgufMalformed, BigEndian) { expect_bad(GgufBytes().head(0, 0, 0x03000000), "big-endian", Errc::kUnsupported); }

TEST(GgufMalformed, CutInTheHeader) {
  GgufBytes whole;
  whole.head(0, 0);
  for (size_t n = 4; n < whole.str().size(); ++n) {
    const Error e = test::error_of([&] { Gguf::parse(whole.span().first(n)); });
    EXPECT_THAT(e.what(), HasSubstr("cut short")) << n;
  }
}

TEST(GgufMalformed, CountsThatCannotFit) {
  expect_bad(GgufBytes().head(kHuge, 0), "the list of tensors: length 18446744073709551615 does not fit");
  expect_bad(GgufBytes().head(0, kHuge), "the list of keys: length 18446744073709551615 does not fit");
  expect_bad(GgufBytes().head(0, 1), "the list of keys: length 1 does not fit");
}

TEST(GgufMalformed, LengthsThatCannotFit) {
  expect_bad(GgufBytes().head(0, 1).number(kHuge).number(kHuge), "a key: length 18446744073709551615 does not fit");
  expect_bad(GgufBytes().head(0, 1).key("k", kString).number(kHuge), "key k: a string: length");
  expect_bad(GgufBytes().head(0, 1).key("k", kArray).number(kUint32).number(kHuge), "key k: an array: length");
  expect_bad(GgufBytes().head(0, 1).key("k", kArray).number(kUint32).number(uint64_t{2}).number(1),
             "key k: an array: length 2");
  expect_bad(GgufBytes().head(0, 1).key("k", kArray).number(kString).number(kHuge / 8), "key k: an array: length");
  expect_bad(GgufBytes().head(0, 1).key("k", kArray).number(kArray).number(kHuge / 16), "key k: an array: length");
}

TEST(GgufMalformed, UnknownValueTypes) {
  expect_bad(GgufBytes().head(0, 1).key("k", 13).number(kHuge), "key k: value type 13 is unknown");
  expect_bad(GgufBytes().head(0, 1).key("k", kArray).number(uint32_t{99}).number(kHuge), "key k: value type 99 is unknown");
}

TEST(GgufMalformed, BoolsOtherThan0And1) {
  expect_bad(GgufBytes().head(0, 1).key("k", kBool).number(uint8_t{2}), "key k: a bool is 2");
  expect_bad(GgufBytes().head(0, 1).key("k", kArray).number(kBool).number(uint64_t{2}).number(uint16_t{0xff01}),
             "key k: a bool is 255");
}

TEST(GgufMalformed, ArraysNestedTooDeep) {
  GgufBytes b;
  b.head(0, 1).key("k", kArray);
  for (int i = 0; i < 1000; ++i) b.number(kArray).number(uint64_t{1});
  expect_bad(b, "key k: arrays are nested more than 4 deep");
}

TEST(GgufMalformed, EmptyAndRepeatedKeys) {
  expect_bad(GgufBytes().head(0, 1).key("", kUint8).number(kHuge), "a key is empty");
  expect_bad(GgufBytes().head(0, 2).key("a.b", kUint8).number(uint8_t{1}).key("a.b", kUint8).number(uint8_t{1}),
             "key a.b occurs twice");
}

TEST(GgufMalformed, Alignments) {
  for (const uint32_t n : {0u, 1u, 4u, 24u, 0x80000000u})
    expect_bad(aligned_file(n), "key general.alignment: want a power of two from 8 to 16777216, not " + std::to_string(n));
  EXPECT_NO_THROW(aligned_file(8).parse());
  expect_bad(GgufBytes().head(0, 1).key("general.alignment", kString).text("32"), "key general.alignment: want a uint32");
}

TEST(GgufMalformed, Ranks) {
  expect_bad(GgufBytes().head(1, 0).tensor("t", {}, kF32, 0).data(64), "tensor t: it has 0 dimensions");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {1, 1, 1, 1, 1}, kF32, 0).data(64), "tensor t: it has 5 dimensions");
}

TEST(GgufMalformed, Dimensions) {
  expect_bad(GgufBytes().head(1, 0).tensor("t", {4, 0}, kF32, 0).data(64), "tensor t: dimension 1 is 0");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {kHuge}, kF32, 0).data(64), "tensor t: dimension 0 is 18446744073709551615");
  constexpr uint64_t kBig = uint64_t{1} << 62;
  expect_bad(GgufBytes().head(1, 0).tensor("t", {kBig, 4}, kF32, 0).data(64), "is too large");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {kBig}, kF32, 0).data(64), "is too large");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {kBig, kBig, kBig, kBig}, kF32, 0).data(64), "is too large");
}

TEST(GgufMalformed, RowsThatAreNotWholeBlocks) {
  expect_bad(GgufBytes().head(1, 0).tensor("t", {16, 2}, kQ8_0, 0).data(64),
             "tensor t: its rows of 16 are not a multiple of the 32 elements of a q8_0 block");
}

TEST(GgufMalformed, TensorTypes) {
  expect_bad(GgufBytes().head(1, 0).tensor("t", {32}, 4, 0).data(64), "tensor t: its type, 4, is unknown or withdrawn");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {32}, 1000, 0).data(64), "tensor t: its type, 1000, is unknown");
}

TEST(GgufMalformed, TensorNames) {
  expect_bad(GgufBytes().head(1, 0).tensor("", {4}, kF32, 0).data(64), "tensor 0 has an empty name");
  expect_bad(GgufBytes().head(2, 0).tensor("t", {4}, kF32, 0).tensor("t", {4}, kF32, 32).data(64), "tensor t occurs twice");
  expect_bad(GgufBytes().head(1, 0).number(kHuge).data(64), "a tensor's name: length");
}

TEST(GgufMalformed, MessagesShowNoControlCharacters) {
  expect_bad(GgufBytes().head(1, 0).tensor("\x1b[31mred", {4}, 4, 0).data(64), R"(tensor \x1b[31mred)");
  expect_bad(GgufBytes().head(0, 1).key("a\nb", 99).number(kHuge), R"(key a\nb: value type)");
}

TEST(GgufMalformed, Offsets) {
  expect_bad(GgufBytes().head(1, 0).tensor("t", {4}, kF32, 8).data(64), "tensor t: its offset 8 is not a multiple");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {4}, kF32, 96).data(64),
             "tensor t: its 16 bytes at offset 96 go past the end");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {4}, kF32, kHuge - 31).data(64), "go past the end");
}

TEST(GgufMalformed, TruncatedData) {
  expect_bad(GgufBytes().head(1, 0).tensor("t", {32}, kF32, 0).data(127),
             "tensor t: its 128 bytes at offset 0 go past the end of the file's 127 bytes of data");
  expect_bad(GgufBytes().head(1, 0).tensor("t", {4}, kF32, 0), "go past the end of the file's 0 bytes of data");
}

TEST(GgufMalformed, OverlappingTensors) {
  expect_bad(GgufBytes().head(2, 0).tensor("a", {16}, kF32, 0).tensor("b", {4}, kF32, 32).data(64),
             "tensors a and b overlap");
  expect_bad(GgufBytes().head(2, 0).tensor("a", {4}, kF32, 0).tensor("b", {4}, kF32, 0).data(64), "overlap");
}

TEST(GgufMalformed, ATensorListThatTheKeysLeftNoRoomFor) {
  GgufBytes b;
  b.head(3, 1).key("k", kString).text(std::string(100, 'x'));
  expect_bad(b, "the list of tensors: length 3 does not fit into the 0 bytes that are left");
}

TEST(GgufMalformed, AShardByItsKeysOnly) {
  GgufBytes b;
  b.head(0, 2).key("split.count", kUint8).number(uint8_t{3}).key("split.no", kUint8).number(uint8_t{1});
  expect_bad(b, "it is shard 2 of 3, whose names must end as in <name>-00002-of-00003.gguf");
}

TEST(GgufMalformed, OpeningPutsThePathInFront) {
  const test::TempDir dir;
  const std::string path = dir.write("m.gguf", GgufBytes().head(0, kHuge).str());
  const Error e = test::error_of([&] { Gguf::open(path, FileBytes::How::kMap); });
  EXPECT_THAT(e.what(), AllOf(StartsWith(path + ": "), HasSubstr("the list of keys")));
  const Error empty = test::error_of([&] { Gguf::open(dir.write("e.gguf", ""), FileBytes::How::kMap); });
  EXPECT_THAT(empty.what(), HasSubstr("e.gguf: not a GGUF file: it has only 0 bytes"));
}

// Panels (quant/panels.h) of q8_0: 16 rows of 64 columns take 1088 bytes.
constexpr uint32_t kQ8_0Panels = 0x534b0008;

TEST(GgufMalformed, PanelsThatDoNotFit) {
  expect_bad(GgufBytes().head(1, 0).tensor("w", {64, 17}, kQ8_0Panels, 0).data(1088),
             "2176 bytes at offset 0 go past the end");
  expect_bad(GgufBytes().head(1, 0).tensor("w", {40, 16}, kQ8_0Panels, 0).data(1088), "not a multiple of the 32 elements");
  expect_bad(GgufBytes().head(1, 0).tensor("w", {32, uint64_t{1} << 50}, kQ8_0Panels, 0).data(64), "is too large");
  expect_bad(GgufBytes().head(1, 0).tensor("w", {64, 16}, 0x534b0009, 0).data(1088), "unknown or withdrawn");
  EXPECT_EQ(GgufBytes().head(1, 0).tensor("w", {64, 16}, kQ8_0Panels, 0).data(1088).parse().tensors()[0].data.size(), 1088u);
}

}  // namespace
}  // namespace skald
