#include "convert/tokenizers/protobuf_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/convert/tiny_sentencepiece.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::HasSubstr;

int count_fields(std::string_view message) {
  ProtobufReader reader(message);
  int out = 0;
  while (reader.next()) ++out;
  return out;
}

TEST(ProtobufReader, ReadsEveryWireType) {
  const std::string message = test::varint_field(1, 300) + test::bytes_field(2, "text") + test::float_field(3, -1.5f) +
                              test::varint_field(4, static_cast<uint64_t>(int64_t{-1})) + test::varint(5 << 3 | 1) +
                              "12345678";
  ProtobufReader reader(message);
  EXPECT_EQ(reader.next()->integer(), 300);
  EXPECT_EQ(reader.next()->bytes(), "text");
  EXPECT_EQ(reader.next()->real(), -1.5f);
  EXPECT_EQ(reader.next()->integer(), -1);
  EXPECT_EQ(reader.next()->number(), 5u);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(ProtobufReader, RefusesEveryCutMessage) {
  const std::string message = test::bytes_field(1, "abc") + test::float_field(2, 1) + test::varint_field(3, 1u << 20);
  const std::vector<size_t> whole = {0, 5, 10, message.size()};
  for (size_t size = 0; size <= message.size(); ++size) {
    const Error error = test::error_of([&] { count_fields(std::string_view(message).substr(0, size)); });
    const bool ends_a_field = std::ranges::count(whole, size) > 0;
    EXPECT_EQ(error.code(), ends_a_field ? Errc::kInternal : Errc::kBadFile) << size;
  }
}

TEST(ProtobufReader, RefusesWhatNoWriterWrites) {
  const auto message_of = [](const std::string& message) {
    return std::string(test::error_of([&] { count_fields(message); }).what());
  };
  EXPECT_THAT(message_of(test::varint(1 << 3 | 2) + test::varint(std::numeric_limits<uint64_t>::max())),
              HasSubstr("bytes wanted"));
  EXPECT_THAT(message_of(std::string(11, '\xFF')), HasSubstr("more than ten bytes"));
  EXPECT_THAT(message_of(std::string(1, '\0')), HasSubstr("no field's number"));
  EXPECT_THAT(message_of(test::varint(1 << 3 | 3)), HasSubstr("wire type 3"));
  EXPECT_THAT(message_of(test::varint(uint64_t{1} << 40) + "x"), HasSubstr("no field's number"));
}

TEST(ProtobufReader, FieldsKnowTheirType) {
  const std::string message = test::bytes_field(7, "x") + test::varint_field(8, uint64_t{1} << 40);
  ProtobufReader reader(message);
  const auto text = reader.next();
  EXPECT_THAT(test::error_of([&] { text->real(); }).what(), HasSubstr("field 7: wire type 2, want 5"));
  EXPECT_THAT(test::error_of([&] { text->flag(); }).what(), HasSubstr("field 7"));
  const auto big = reader.next();
  EXPECT_THAT(test::error_of([&] { big->integer(); }).what(), HasSubstr("not of 32 bits"));
}

}  // namespace
}  // namespace skald
