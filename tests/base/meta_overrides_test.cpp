// Overrides of metadata: beside a value that is there and without one, and bad texts.
#include "base/meta_overrides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Meta overridden(const std::string& text, Meta meta = {}) {
  MetaOverrides({text}).apply(meta);
  return meta;
}

template <class T>
T value(const Meta& meta) {
  return std::get<T>(*meta.find("k"));
}

Meta with(MetaValue there) {
  Meta meta;
  meta.set("k", std::move(there));
  return meta;
}

std::string error_of(const std::string& text, const Meta& meta = {}) {
  const Error e = test::error_of([&] { overridden(text, meta); });
  EXPECT_EQ(e.code(), Errc::kBadInput) << text;
  EXPECT_THAT(e.what(), StartsWith("override '" + text + "': "));
  return e.what();
}

TEST(MetaOverrides, AddKeysInTheTypesThatOthersRead) {
  EXPECT_EQ(value<uint32_t>(overridden("k=int:4294967295")), 4294967295);
  EXPECT_EQ(value<int32_t>(overridden("k=int:-2")), -2);
  EXPECT_EQ(value<int64_t>(overridden("k=int:-9223372036854775808")), INT64_MIN);
  EXPECT_EQ(value<int64_t>(overridden("k=int:4294967296")), 4294967296);
  EXPECT_EQ(value<float>(overridden("k=float:1e-5")), 1e-5f);
  EXPECT_EQ(value<bool>(overridden("k=bool:true")), true);
  EXPECT_EQ(value<std::string>(overridden("k=str:a=b:c, d")), "a=b:c, d");
  EXPECT_EQ(value<std::string>(overridden("k=str:")), "");
}

TEST(MetaOverrides, LeaveKeysTheirTypesAndPlaces) {
  EXPECT_EQ(value<uint8_t>(overridden("k=int:255", with(uint8_t{1}))), 255);
  EXPECT_EQ(value<int64_t>(overridden("k=int:7", with(int64_t{1}))), 7);
  EXPECT_EQ(value<uint64_t>(overridden("k=int:7", with(uint64_t{1}))), 7u);
  EXPECT_EQ(value<double>(overridden("k=float:0.1", with(1.0))), 0.1);
  EXPECT_EQ(value<float>(overridden("k=float:0.1", with(1.0f))), 0.1f);
  EXPECT_EQ(value<bool>(overridden("k=bool:false", with(true))), false);
  EXPECT_EQ(value<std::string>(overridden("k=str:b", with(std::string("a")))), "b");
  Meta meta = with(uint32_t{1});
  meta.set("last", uint32_t{2});
  MetaOverrides({"k=int:3", "new=int:4"}).apply(meta);
  EXPECT_EQ(meta.entries()[0].first, "k");
  EXPECT_EQ(meta.entries()[2].first, "new");
}

TEST(MetaOverrides, RefuseWhatTheKeyDoesNotHold) {
  EXPECT_THAT(error_of("k=int:256", with(uint8_t{1})), HasSubstr("the key has the type uint8, which does not hold 256"));
  EXPECT_THAT(error_of("k=int:-1", with(uint64_t{1})), HasSubstr("the key has the type uint64, which does not hold -1"));
  EXPECT_THAT(error_of("k=float:1e300", with(1.0f)), HasSubstr("the key has the type float32, which does not hold 1e+300"));
  EXPECT_THAT(error_of("k=float:1e300"), HasSubstr("float32"));
  EXPECT_THAT(error_of("k=str:x", with(uint32_t{1})), HasSubstr("the key has the type uint32 in the model"));
  EXPECT_THAT(error_of("k=int:1", with(1.0f)), HasSubstr("the key has the type float32 in the model"));
  EXPECT_THAT(error_of("k=int:1", with(true)), HasSubstr("the key has the type bool in the model"));
  EXPECT_THAT(error_of("k=bool:true", with(uint8_t{1})), HasSubstr("the key has the type uint8 in the model"));
  EXPECT_THAT(error_of("k=int:1", with(MetaArray{std::vector<int32_t>{1}})),
              HasSubstr("the key has the type array in the model"));
}

TEST(MetaOverrides, NameTextsThatAreWrong) {
  for (const char* text : {"", "k", "k=", "k=int", "k:int=1", "=int:1"})
    EXPECT_THAT(error_of(text), HasSubstr("want KEY=TYPE:VALUE")) << text;
  for (const char* text : {"k=integer:1", "k=:1", "k=INT:1", "k= int:1"})
    EXPECT_THAT(error_of(text), HasSubstr("want int, float, bool or str")) << text;
  for (const char* text : {"k=int:", "k=int:1x", "k=int:1.5", "k=int: 1", "k=int:0x10"})
    EXPECT_THAT(error_of(text), HasSubstr("is not an integer")) << text;
  for (const char* text : {"k=float:", "k=float:1,5", "k=float:x"})
    EXPECT_THAT(error_of(text), HasSubstr("is not a number")) << text;
  for (const char* text : {"k=float:nan", "k=float:-inf"}) EXPECT_THAT(error_of(text), HasSubstr("not a finite number"));
  for (const char* text : {"k=bool:1", "k=bool:", "k=bool:True"}) EXPECT_THAT(error_of(text), HasSubstr("neither true nor"));
  for (const char* text : {"k=int:9223372036854775808", "k=float:1e999"}) EXPECT_THAT(error_of(text), HasSubstr("64 bits"));
  EXPECT_THAT(test::error_of([] {
                MetaOverrides({"k=int:1", "k=int:2"});
              }).what(),
              AllOf(HasSubstr("'k=int:2'"), HasSubstr("another override")));
}

TEST(MetaOverrides, AreNamedByErrorsOfWhoReadsThem) {
  const auto fails = [] { fail(Errc::kBadFile, "it is wrong"); };
  EXPECT_STREQ(test::error_of([&] { MetaOverrides({}).reading(fails); }).what(), "it is wrong");
  EXPECT_STREQ(test::error_of([&] {
                 MetaOverrides({"a=int:1", "b=str:x"}).reading(fails);
               }).what(),
               "with the overrides 'a=int:1' 'b=str:x': it is wrong");
  EXPECT_EQ(MetaOverrides({"a=int:1"}).reading([] { return 7; }), 7);
}

}  // namespace
}  // namespace skald
