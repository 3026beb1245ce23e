// Answers of a batch's shards become one file, in the order of the input, or none.
#include "serve/batch/batch_join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "serve/batch/batch_line.h"
#include "serve/batch/batch_output.h"
#include "serve/batch/batch_shard.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::serve::batch_join_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int64_t kLong = int64_t{1} << 20;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string request(const std::string& id, const std::string& prompt = "x") {
  return R"({"custom_id":")" + id + R"(","method":"POST","url":"/v1/completions","body":{"prompt":")" + prompt + "\"}}";
}

/// A batch of some lines, and what its shards have answered.
class BatchJoinTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return dir_.path(name); }

  void input(const std::vector<std::string>& lines) {
    lines_ = lines;
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    dir_.write("in.jsonl", text);
  }

  /// Of the request in this line (from 1), as one of two shards may have written it.
  std::string answer(size_t number, int status = 200) const {
    const LineReader::Line line{.number = static_cast<int64_t>(number), .text = lines_[number - 1]};
    const auto id = custom_id_of(line);
    BatchAnswer out{.line = line.number,
                    .custom_id = id,
                    .sum = batch_sum(line, id),
                    .status = status,
                    .request_id = "r",
                    .body = R"({"n":)" + std::to_string(number) + "}"};
    if (!id) out.error_code = "invalid_json_line";
    return out.text();
  }
  void shard(int64_t index, const std::string& answers, const std::string& whole = "out.jsonl", int64_t count = 2) const {
    dir_.write(BatchShard{index, count}.file(whole), answers);
  }

  BatchJoined join(int64_t shards = 2, const std::string& errors = {}) const {
    return join_batch(
        {.in = path("in.jsonl"), .out = path("out.jsonl"), .errors = errors, .shards = shards, .longest_line = kLong});
  }
  std::string refused(int64_t shards = 2, const std::string& errors = {}) const {
    const size_t files = dir_.files();
    const Error error = test::error_of([&] { join(shards, errors); });
    EXPECT_EQ(error.code(), Errc::kBadInput) << error.what();
    EXPECT_EQ(dir_.files(), files) << "half a file stays";
    return error.what();
  }

  const test::TempDir dir_;
  std::vector<std::string> lines_;
};

TEST_F(BatchJoinTest, AnswersAreInTheOrderOfTheInput) {
  input({request("a"), request("b"), "{", "{", request("c")});
  shard(0, answer(3) + answer(1));
  shard(1, answer(5) + answer(2) + answer(4));
  const BatchJoined joined = join();
  EXPECT_EQ(joined.answered, 3);
  EXPECT_EQ(joined.failed, 2);
  EXPECT_EQ(content(path("out.jsonl")), answer(1) + answer(2) + answer(3) + answer(4) + answer(5));
}

TEST_F(BatchJoinTest, ShardsWithoutRequestsNeedNoFiles) {
  input({request("a"), request("b")});
  shard(2, answer(1), "out.jsonl", 5);
  shard(4, answer(2), "out.jsonl", 5);
  shard(0, "", "out.jsonl", 5);
  EXPECT_EQ(join(5).answered, 2);
  EXPECT_EQ(content(path("out.jsonl")), answer(1) + answer(2));
}

TEST_F(BatchJoinTest, AnswersOfFailedRequestsHaveAFileOfTheirOwn) {
  input({request("a"), request("b"), request("c"), request("d")});
  shard(0, answer(2));
  shard(0, answer(1, 400), "errors.jsonl");
  shard(1, answer(3));
  shard(1, answer(4, 400), "errors.jsonl");
  EXPECT_THAT(refused(), HasSubstr("no answer to: a, d")) << "their file was not named";
  const BatchJoined joined = join(2, path("errors.jsonl"));
  EXPECT_EQ(joined.answered, 2);
  EXPECT_EQ(joined.failed, 2);
  EXPECT_EQ(content(path("out.jsonl")), answer(2) + answer(3));
  EXPECT_EQ(content(path("errors.jsonl")), answer(1, 400) + answer(4, 400));
}

TEST_F(BatchJoinTest, MissingAnswersAreNamedWithTheirShards) {
  input({request("a"), request("b"), request("c"), request("d")});
  shard(0, answer(1));
  shard(1, answer(3) + answer(4));
  EXPECT_THAT(refused(), AllOf(HasSubstr("no answer to: b"), HasSubstr("to be run: 0/2"), Not(HasSubstr("1/2"))));
  EXPECT_THAT(refused(3), AllOf(HasSubstr("a, b, c, d"), HasSubstr("0/3, 1/3, 2/3"))) << "there are no such files";
}

TEST_F(BatchJoinTest, AnAnswerThatWasCutOffIsMissing) {
  input({request("a"), request("b")});
  shard(0, answer(1));
  for (size_t bytes = 1; bytes + 1 < answer(2).size(); ++bytes) {
    shard(1, answer(2).substr(0, bytes));
    ASSERT_THAT(refused(), HasSubstr("no answer to: b"));
  }
  shard(1, answer(2).substr(0, answer(2).size() - 1));  // all but its end
  EXPECT_EQ(join().answered, 2);
  EXPECT_EQ(content(path("out.jsonl")), answer(1) + answer(2));
}

TEST_F(BatchJoinTest, SeveralAnswersAreNamedWithTheirFiles) {
  input({request("a"), request("b")});
  shard(0, answer(1));
  shard(1, answer(2) + answer(1));
  EXPECT_THAT(refused(), HasSubstr("several answers to: a in out.0-of-2.jsonl and out.1-of-2.jsonl"));
  shard(1, answer(2) + answer(2));
  EXPECT_THAT(refused(), HasSubstr("b in out.1-of-2.jsonl and out.1-of-2.jsonl"));
}

TEST_F(BatchJoinTest, AnswersToRequestsThatAreGoneAreNamed) {
  input({request("a"), request("b"), "{"});
  shard(0, answer(1));
  shard(1, answer(2) + answer(3));
  input({request("a")});
  EXPECT_THAT(refused(), AllOf(HasSubstr("answers to no request of the input: b, line 3"), Not(HasSubstr("no answer to"))));
}

TEST_F(BatchJoinTest, RequestsThatChangedSinceAreNamed) {
  input({request("a"), request("b")});
  shard(0, answer(1));
  shard(1, answer(2));
  input({request("a"), request("b", "another")});
  EXPECT_THAT(refused(), AllOf(HasSubstr("changed after the answer: b"), Not(HasSubstr("several"))));
}

TEST_F(BatchJoinTest, OtherFilesAreRefused) {
  input({request("a")});
  shard(0, "");
  shard(1, answer(1));
  dir_.write("out.jsonl", "notes\n");
  EXPECT_THAT(refused(), HasSubstr(path("out.jsonl")));
  EXPECT_EQ(content(path("out.jsonl")), "notes\n");
  std::filesystem::remove(path("out.jsonl"));
  for (const std::string& text : {std::string("notes\n"), answer(1).substr(0, 30) + "\n" + answer(1)}) {
    shard(0, text);
    EXPECT_THAT(refused(), HasSubstr("out.0-of-2.jsonl:1: no line of a batch's answers"));
  }
}

TEST_F(BatchJoinTest, AnEarlierResultStaysUntilThereIsANewOne) {
  input({request("a"), request("b")});
  shard(0, answer(1));
  dir_.write("out.jsonl", answer(2));
  refused();
  EXPECT_EQ(content(path("out.jsonl")), answer(2));
  shard(1, answer(2));
  join();
  EXPECT_EQ(content(path("out.jsonl")), answer(1) + answer(2));
}

TEST_F(BatchJoinTest, ARequestThatIsThereTwiceIsRefused) {
  input({request("a"), request("a")});
  shard(0, answer(1));
  EXPECT_THAT(refused(), HasSubstr("in.jsonl:2: the custom_id a is line 1's too"));
}

}  // namespace
}  // namespace skald::serve::batch_join_test
