#include "io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/support/errors.h"
#include "tests/support/safetensors_bytes.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using nlohmann::json;
using test::SafetensorsBytes;
using ::testing::AllOf;
using ::testing::HasSubstr;

Safetensors parse(const std::string& bytes) { return Safetensors::parse(std::as_bytes(std::span(bytes))); }

void expect_bad(const std::string& bytes, const std::string& message, Errc code = Errc::kBadFile) {
  const Error e = test::error_of([&] { parse(bytes); });
  EXPECT_EQ(e.code(), code) << e.what();
  EXPECT_THAT(e.what(), HasSubstr(message));
}

json entry(const char* dtype, json shape, json offsets) {
  return {{"dtype", dtype}, {"shape", std::move(shape)}, {"data_offsets", std::move(offsets)}};
}

TEST(Safetensors, TensorsWithTheirTypesShapesAndData) {
  const std::string bytes = SafetensorsBytes()
                                .tensor<float>("b", "F32", {2, 2}, {1, 2, 3, 4})
                                .tensor<uint16_t>("a", "BF16", {3}, {7, 8, 9})
                                .tensor<uint8_t>("scalar", "F8_E4M3", {}, {5})
                                .entry("__metadata__", {{"format", "pt"}})
                                .str();
  const Safetensors file = parse(bytes);
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "b") << "in the order of their data";
  const SafetensorsTensor* a = file.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->type, SafetensorsType::kBF16);
  EXPECT_THAT(a->shape, ::testing::ElementsAre(3));
  EXPECT_EQ(a->elements(), 3);
  EXPECT_EQ(static_cast<int>(a->data[2]), 8);
  EXPECT_EQ(file.find("scalar")->elements(), 1);
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(file.find("__metadata__"), nullptr);
}

TEST(Safetensors, EveryTypeHasTheSizeOfItsName) {
  for (const auto& [dtype, size] : std::vector<std::pair<std::string, size_t>>{{"BOOL", 1},
                                                                               {"U8", 1},
                                                                               {"I8", 1},
                                                                               {"F8_E5M2", 1},
                                                                               {"F8_E4M3", 1},
                                                                               {"F8_E8M0", 1},
                                                                               {"U16", 2},
                                                                               {"I16", 2},
                                                                               {"F16", 2},
                                                                               {"BF16", 2},
                                                                               {"U32", 4},
                                                                               {"I32", 4},
                                                                               {"F32", 4},
                                                                               {"U64", 8},
                                                                               {"I64", 8},
                                                                               {"F64", 8}}) {
    const std::string bytes = SafetensorsBytes().tensor("x", dtype, {3}, std::vector<std::byte>(3 * size)).str();
    const Safetensors file = parse(bytes);
    EXPECT_EQ(name_of(file.tensors()[0].type), dtype);
    EXPECT_EQ(bytes_of(file.tensors()[0].type), static_cast<int64_t>(size)) << dtype;
  }
}

TEST(Safetensors, TensorsWithoutElementsTakeNoRoom) {
  const std::string bytes = SafetensorsBytes()
                                .tensor<float>("a", "F32", {1}, {1})
                                .tensor<float>("empty", "F32", {0, 4}, {})
                                .tensor<float>("b", "F32", {1}, {2})
                                .str();
  EXPECT_EQ(parse(bytes).find("empty")->elements(), 0);
}

TEST(Safetensors, HeadersThatDoNotFitTheFile) {
  expect_bad("", "header's length");
  expect_bad(std::string(7, '\0'), "header's length");
  expect_bad(std::string("\x10\0\0\0\0\0\0\0{}", 10), "header of 16 bytes: want at most 100000000, and the file has 2 more");
  expect_bad(std::string(8, '\xff'), "header of 18446744073709551615 bytes");
}

TEST(Safetensors, HeadersThatAreNoObjects) {
  expect_bad(SafetensorsBytes::with_header("{"), "not valid JSON");
  expect_bad(SafetensorsBytes::with_header("[]"), "header: want an object, file has array");
  expect_bad(SafetensorsBytes::with_header(std::string(100, '[')), "levels deep");
  expect_bad(SafetensorsBytes::with_header(R"({"a":1})"), "tensor a: want an object");
  expect_bad(SafetensorsBytes::with_header(R"({"a":{},"a":{}})"), "key \"a\" is there twice");
  expect_bad(SafetensorsBytes::with_header(std::string(200000, '[')), "levels deep");
}

TEST(Safetensors, EntriesThatLackSomething) {
  const json good = entry("F32", {1}, {0, 4});
  for (const char* key : {"dtype", "shape", "data_offsets"}) {
    json bad = good;
    bad.erase(key);
    expect_bad(SafetensorsBytes().entry("x", bad).data(4).str(), std::string("tensor x: ") + key + " is missing");
  }
}

TEST(Safetensors, EntriesThatSayNonsense) {
  const auto bad = [](const json& e, const std::string& message, Errc code = Errc::kBadFile) {
    expect_bad(SafetensorsBytes().entry("x", e).data(4).str(), message, code);
  };
  bad(entry("F33", {1}, {0, 4}), "dtype \"F33\" is unknown", Errc::kUnsupported);
  bad({{"dtype", 3}, {"shape", {1}}, {"data_offsets", {0, 4}}}, "dtype: want a string");
  bad(entry("F32", {-1}, {0, 4}), "shape: want sizes, file has -1");
  bad(entry("F32", {1.5}, {0, 4}), "shape: want sizes, file has 1.5");
  bad(entry("F32", "x", {0, 4}), "shape: want a list");
  bad(entry("F32", std::vector<int>(17, 1), {0, 4}), "shape: want a list of at most 16");
  bad(entry("F32", {uint64_t{1} << 63}, {0, 4}), "shape: want sizes");
  bad(entry("F32", {int64_t{1} << 40, int64_t{1} << 40}, {0, 4}), "the shape's size overflows");
  bad(entry("F32", {1}, {0}), "want a range");
  bad(entry("F32", {1}, {0, 4, 4}), "data_offsets: want a list");
  bad(entry("F32", {1}, {4, 0}), "data_offsets [4,0]: want a range within 4 bytes of data");
  bad(entry("F32", {2}, {0, 8}), "data_offsets [0,8]: want a range within 4 bytes of data");
  bad(entry("F32", {1}, {-4, 0}), "data_offsets: want sizes");
  bad(entry("F32", {2}, {0, 4}), "shape and type take 8 bytes, data_offsets say 4");
}

TEST(Safetensors, DataThatTensorsDoNotCoverExactly) {
  expect_bad(SafetensorsBytes().entry("a", entry("U8", {4}, {0, 4})).entry("b", entry("U8", {4}, {2, 6})).data(6).str(),
             "tensor b: its data begins at byte 2, want 4: it overlaps");
  expect_bad(SafetensorsBytes().entry("a", entry("U8", {4}, {0, 4})).entry("b", entry("U8", {2}, {6, 8})).data(8).str(),
             "tensor b: its data begins at byte 6, want 4: there is a gap");
  expect_bad(SafetensorsBytes().entry("a", entry("U8", {4}, {0, 4})).data(9).str(), "5 bytes after the last tensor");
  expect_bad(SafetensorsBytes().entry("a", entry("U8", {4}, {0, 4})).entry("b", entry("U8", {4}, {0, 4})).data(4).str(),
             "overlaps");
}

TEST(Safetensors, ErrorsNameTheFile) {
  const test::TempDir dir;
  const std::string path = dir.write("x.safetensors", "abc");
  EXPECT_THAT(test::error_of([&] { Safetensors::open(path, FileBytes::How::kMap); }).what(), HasSubstr(path));
  const std::string good = dir.write("y.safetensors", SafetensorsBytes().tensor<float>("a", "F32", {1}, {2.5F}).str());
  Safetensors file = Safetensors::open(good, FileBytes::How::kRead);
  const Safetensors moved = std::move(file);
  float value = 0;
  std::memcpy(&value, moved.find("a")->data.data(), sizeof value);
  EXPECT_EQ(value, 2.5F);
}

TEST(Safetensors, NoBytesCutOrChangedDoMoreThanFail) {
  const std::string whole =
      SafetensorsBytes().tensor<float>("a", "F32", {2}, {1, 2}).tensor<float>("b", "F32", {1}, {3}).str();
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_NE(std::string(test::error_of([&] { parse(whole.substr(0, n)); }).what()), "no error") << n;
  for (size_t i = 0; i < whole.size(); ++i)
    for (const char with : {'\0', '9', '"', '\xff', '-'}) {
      std::string changed = whole;
      changed[i] = with;
      test::error_of([&] { parse(changed); });  // with any message: no crash
    }
}

}  // namespace
}  // namespace skald
