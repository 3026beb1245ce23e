// Typed access to metadata, and the errors that name the key.
#include "base/meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MetaArray array(auto items) { return MetaArray{std::move(items)}; }

TEST(Meta, KeepsTheOrderInWhichKeysWereSet) {
  Meta m;
  m.set("b", uint32_t{1});
  m.set("a", uint32_t{2});
  m.set("b", uint32_t{3});
  ASSERT_EQ(m.entries().size(), 2u);
  EXPECT_EQ(m.entries()[0].first, "b");
  EXPECT_EQ(m.entries()[1].first, "a");
  EXPECT_EQ(m.i64("b"), 3);
}

TEST(Meta, ReadsIntegersOfEveryWidth) {
  Meta m;
  m.set("u8", uint8_t{200});
  m.set("i8", int8_t{-100});
  m.set("u16", uint16_t{60000});
  m.set("i16", int16_t{-30000});
  m.set("u32", uint32_t{4000000000});
  m.set("i32", int32_t{-2000000000});
  m.set("u64", uint64_t{INT64_MAX});
  m.set("i64", int64_t{INT64_MIN});
  EXPECT_EQ(m.i64("u8"), 200);
  EXPECT_EQ(m.i64("i8"), -100);
  EXPECT_EQ(m.i64("u16"), 60000);
  EXPECT_EQ(m.i64("i16"), -30000);
  EXPECT_EQ(m.i64("u32"), 4000000000);
  EXPECT_EQ(m.i64("i32"), -2000000000);
  EXPECT_EQ(m.i64("u64"), INT64_MAX);
  EXPECT_EQ(m.i64("i64"), INT64_MIN);
}

TEST(Meta, RefusesAnUnsignedNumberBeyondInt64) {
  Meta m;
  m.set("big", uint64_t{1} << 63);
  EXPECT_EQ(test::error_of([&] { m.i64("big"); }).code(), Errc::kBadFile);
}

TEST(Meta, ReadsNumbersOfAnyKindAsFloatingPoint) {
  Meta m;
  m.set("f", 0.5f);
  m.set("d", 0.25);
  m.set("i", int32_t{-3});
  EXPECT_EQ(m.f64("f"), 0.5);
  EXPECT_EQ(m.f32("d"), 0.25f);
  EXPECT_EQ(m.f64("i"), -3.0);
}

TEST(Meta, AnAbsentKeyGivesTheFallbackOrNotFoundWithItsName) {
  const Meta m;
  EXPECT_EQ(m.i64("k", 7), 7);
  EXPECT_EQ(m.f64("k", 0.5), 0.5);
  EXPECT_TRUE(m.flag("k", true));
  EXPECT_EQ(m.str("k", "fallback"), "fallback");
  EXPECT_TRUE(m.ints("k").empty());
  EXPECT_TRUE(m.floats("k").empty());
  const Error e = test::error_of([&] { m.i64("some.key"); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr("some.key"));
}

TEST(Meta, AWrongTypeIsABadFileThatNamesKeyAndType) {
  Meta m;
  m.set("k", std::string("text"));
  for (const Error& e : {test::error_of([&] { m.i64("k"); }), test::error_of([&] { m.f64("k", 1.0); }),
                         test::error_of([&] { m.flag("k", false); }), test::error_of([&] { m.ints("k"); })}) {
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), HasSubstr("key k"));
    EXPECT_THAT(e.what(), HasSubstr("string"));
  }
  m.set("b", true);
  EXPECT_EQ(test::error_of([&] { m.i64("b"); }).code(), Errc::kBadFile) << "a bool is no integer";
  EXPECT_EQ(test::error_of([&] { m.str("b"); }).code(), Errc::kBadFile);
}

TEST(Meta, ReadsArrays) {
  Meta m;
  m.set("i", array(std::vector<int8_t>{1, -2}));
  m.set("f", array(std::vector<double>{0.5, 2}));
  m.set("s", array(std::vector<std::string>{"x", "y"}));
  EXPECT_THAT(m.ints("i"), ElementsAre(1, -2));
  EXPECT_THAT(m.floats("f"), ElementsAre(0.5f, 2.0f));
  EXPECT_THAT(m.floats("i"), ElementsAre(1.0f, -2.0f));
  EXPECT_THAT(m.strings("s"), ElementsAre("x", "y"));
}

TEST(Meta, AnArrayOfEqualNumbersIsOneOfThem) {
  Meta m;
  m.set("i", array(std::vector<uint32_t>{8, 8, 8}));
  m.set("f", array(std::vector<float>{0.5f, 0.5f}));
  m.set("unequal", array(std::vector<uint32_t>{8, 4}));
  m.set("empty", array(std::vector<int32_t>{}));
  EXPECT_EQ(m.i64("i"), 8);
  EXPECT_EQ(m.f64("f"), 0.5);
  const Error e = test::error_of([&] { m.i64("unequal"); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), testing::HasSubstr("key unequal: values that differ"));
  EXPECT_EQ(test::error_of([&] { m.i64("empty"); }).code(), Errc::kBadFile);
}

TEST(Meta, FlagsAreBoolsOrZeroAndOne) {
  Meta m;
  m.set("b", array(std::vector<bool>{true, false}));
  m.set("i", array(std::vector<int32_t>{0, 1}));
  m.set("two", array(std::vector<int32_t>{2}));
  EXPECT_THAT(m.flags("b"), ElementsAre(true, false));
  EXPECT_THAT(m.flags("i"), ElementsAre(false, true));
  EXPECT_EQ(test::error_of([&] { m.flags("two"); }).code(), Errc::kBadFile);
}

TEST(Meta, RemembersWhichKeysWereLookedUp) {
  Meta m;
  for (const char* key : {"a.read", "a.has", "a.peeked", "a.left", "b.left"}) m.set(key, uint32_t{1});
  m.i64("a.read");
  m.has("a.has");
  m.peek("a.peeked");
  EXPECT_THAT(m.unread("a."), ElementsAre("a.peeked", "a.left"));
  const Meta copy = m;
  copy.i64("a.left");
  EXPECT_THAT(copy.unread("a."), ElementsAre("a.peeked"));
  EXPECT_EQ(m.unread("a.").size(), 2U);
}

TEST(Meta, RefusesArraysWithElementsOfAnotherKind) {
  Meta m;
  m.set("f", array(std::vector<float>{0.5f}));
  m.set("s", array(std::vector<std::string>{"x"}));
  EXPECT_EQ(test::error_of([&] { m.ints("f"); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { m.floats("s"); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { m.strings("f"); }).code(), Errc::kBadFile);
}

TEST(MetaView, ReadsTheKeysBelowAPrefix) {
  Meta m;
  m.set("llama.block_count", uint32_t{2});
  const MetaView view(m, "llama");
  EXPECT_TRUE(view.has("block_count"));
  EXPECT_EQ(view.i64("block_count"), 2);
  EXPECT_EQ(view.i64("absent", 5), 5);
}

TEST(MetaView, RefusesAValueOutsideARangeAndNamesTheFullKey) {
  Meta m;
  m.set("llama.block_count", uint32_t{0});
  const MetaView view(m, "llama");
  EXPECT_EQ(view.in_range("block_count", 0, 10), 0);
  const Error e = test::error_of([&] { view.in_range("block_count", 1, 10); });
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), HasSubstr("llama.block_count"));
}

}  // namespace
}  // namespace skald
