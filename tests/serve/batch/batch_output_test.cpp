#include "serve/batch/batch_output.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "serve/batch/batch_known.h"
#include "skald/error.h"
#include "tests/support/temp_dir.h"

namespace skald::serve::batch_output_test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const BatchAnswer kGood{.line = 1, .custom_id = "a\"b", .status = 200, .request_id = "r", .body = R"({"text":"\n"})"};
const BatchAnswer kRefused{.line = 2, .custom_id = "c", .status = 400, .request_id = "r", .body = R"({"error":{}})"};
const BatchAnswer kNone{.line = 3, .custom_id = {}, .error_code = "invalid_json_line", .message = "line"};

TEST(BatchOutput, LinesAreReadBack) {
  const auto good = parse_batch_record(kGood.text()), refused = parse_batch_record(kRefused.text()),
             none = parse_batch_record(kNone.text());
  ASSERT_TRUE(good && refused && none);
  EXPECT_EQ(good->custom_id, "a\"b");
  EXPECT_FALSE(good->failed);
  EXPECT_EQ(refused->custom_id, "c");
  EXPECT_TRUE(refused->failed);
  EXPECT_EQ(none->custom_id, std::nullopt);
  EXPECT_EQ(none->line, 3);
  EXPECT_TRUE(none->failed);
}

TEST(BatchOutput, OtherLinesAreNone) {
  for (const char* text : {"", "x", "{}", "[]", R"({"id":"batch_req_1"})", R"({"id":"batch_req_1","custom_id":"a"})",
                           R"({"id":"other","custom_id":"a","response":{"status_code":200},"error":null})"})
    EXPECT_FALSE(parse_batch_record(text)) << text;
}

TEST(BatchOutput, AnyTornLineIsCutOff) {
  const test::TempDir folder;
  const std::string first = kGood.text(), second = kRefused.text();
  for (size_t size = 0; size + 1 < second.size(); ++size) {
    const std::string path = folder.write("out", first + second.substr(0, size));
    { BatchFile file(path); }
    ASSERT_EQ(content(path), first) << size;
  }
  const std::string path = folder.write("out", first + second.substr(0, second.size() - 1));
  { BatchFile file(path); }
  EXPECT_EQ(content(path), first + second);
}

TEST(BatchOutput, WhatIsNoTornLineIsRefused) {
  const test::TempDir folder;
  const std::string path = folder.write("out", "{\"id\":5}");
  EXPECT_THROW(BatchFile{path}, Error);
  EXPECT_EQ(content(path), "{\"id\":5}");
}

TEST(BatchOutput, OneBatchAtATimeWrites) {
  const test::TempDir folder;
  BatchFile file(folder.path("out"));
  EXPECT_THROW(BatchFile{folder.path("out")}, Error);
}

TEST(BatchKnown, TellsWhatWasAnsweredBefore) {
  const test::TempDir folder;
  {
    BatchFile file(folder.path("out"));
    for (const BatchAnswer* answer : {&kGood, &kRefused, &kNone}) file.write(*answer);
  }
  BatchKnown known;
  known.read(folder.path("out"));
  EXPECT_EQ(known.of("a\"b", 9), BatchKnown::State::kAnswered);
  EXPECT_EQ(known.of("c", 9), BatchKnown::State::kFailed);
  EXPECT_EQ(known.of({}, 3), BatchKnown::State::kFailed);
  EXPECT_EQ(known.of({}, 1), BatchKnown::State::kNew);
  EXPECT_EQ(known.of("line 3", 3), BatchKnown::State::kNew);
}

}  // namespace
}  // namespace skald::serve::batch_output_test
