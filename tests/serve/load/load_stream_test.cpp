#include "serve/load/load_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "serve/load/load_prompts.h"
#include "serve/load/load_target.h"
#include "skald/error.h"
#include "tests/support/temp_dir.h"

namespace skald::serve::load_stream_test {
namespace {

LoadSample sample_of(const std::string& body,
                     const std::string& head = "200 OK\r\nContent-Type: text/event-stream; charset=utf-8") {
  ResponseReader reader;
  LoadStream stream(HttpClock::now());
  const auto sink = [&](std::string_view bytes) { stream.read(reader, bytes); };
  try {
    reader.read("HTTP/1.1 " + head + "\r\n\r\n" + body, sink);
    reader.end();
  } catch (const Error& e) {
    return stream.finish(reader.status(), e.what());
  }
  return stream.finish(reader.status(), "");
}

std::string data(const std::string& json) { return "data: " + json + "\n\n"; }

TEST(LoadStream, CountsTokensByUsageAndPiecesByText) {
  const LoadSample chat = sample_of(
      data(R"({"choices":[{"delta":{"role":"assistant","content":""},"finish_reason":null}]})") +
      data(R"({"choices":[{"delta":{"reasoning_content":"hm"}}]})") + ": ping\n\n" +
      data(R"({"choices":[{"delta":{"content":"a"}}]})") + data(R"({"choices":[{"delta":{"content":"b"}}]})") +
      data(R"({"choices":[{"delta":{},"finish_reason":"length"}]})") +
      data(
          R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4}}})") +
      "data: [DONE]\n\n");
  EXPECT_EQ(chat.error, "");
  EXPECT_EQ(chat.status, 200);
  EXPECT_EQ(chat.gaps.size(), 2u);
  EXPECT_EQ(chat.prompt_tokens, 9);
  EXPECT_EQ(chat.output_tokens, 7);
  EXPECT_EQ(chat.cached_tokens, 4);
  EXPECT_GT(chat.first, 0);
  EXPECT_GE(chat.whole, chat.last);
  const LoadSample text =
      sample_of(data(R"({"choices":[{"text":"a"}]})") + data(R"({"choices":[{"text":"","finish_reason":"stop"}]})"));
  EXPECT_EQ(text.error, "");
  EXPECT_EQ(text.output_tokens, 1);  // counted: the server does not say it
  EXPECT_EQ(text.prompt_tokens, -1);
}

TEST(LoadStream, SaysWhatWentWrong) {
  const std::string a = data(R"({"choices":[{"text":"a"}]})");
  const auto error = [](const LoadSample& sample) { return sample.error; };
  EXPECT_NE(error(sample_of(a)).find("without saying"), std::string::npos);
  EXPECT_NE(error(sample_of(a + data(R"({"error":{"message":"out of pages"}})"))).find("out of pages"), std::string::npos);
  EXPECT_NE(error(sample_of(a + data("{garbage"))).find("{garbage"), std::string::npos);
  EXPECT_NE(error(sample_of(data("[1]"))).find("[1]"), std::string::npos);
  EXPECT_NE(error(sample_of("data: [DONE]\n\n")).find("no text"), std::string::npos);
  EXPECT_NE(error(sample_of("{\"choices\":[]}", "200 OK\r\nContent-Type: application/json")).find("no stream"),
            std::string::npos);
  const LoadSample full =
      sample_of(R"({"error":{"message":"queue is full"}})", "429 Too Many Requests\r\nContent-Type: application/json");
  EXPECT_EQ(full.error, "status 429: queue is full");
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(error(sample_of(R"({"detail":"no"})", "404 Not Found")), "status 404: no");
}

TEST(LoadTarget, IsReadOfAUrl) {
  const LoadTarget plain = parse_load_target("http://127.0.0.1:8080"),
                   api = parse_load_target("https://example.org/api/v1/"), six = parse_load_target("http://[::1]:81/x"),
                   local = parse_load_target("unix:/run/s.sock");
  EXPECT_EQ(plain.authority(), "127.0.0.1:8080");
  EXPECT_EQ(plain.base, "/v1");
  EXPECT_TRUE(api.tls);
  EXPECT_EQ(api.port, 443);
  EXPECT_EQ(api.authority(), "example.org");
  EXPECT_EQ(api.base, "/api/v1");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.authority(), "[::1]:81");
  EXPECT_EQ(six.base, "/x/v1");
  EXPECT_EQ(local.path, "/run/s.sock");
  for (const char* wrong : {"", "127.0.0.1", "ftp://a", "http://", "http://a:0", "http://a:99999", "http://a:b",
                            "http://[::1", "http://a?b=c", "http://u:p@a", "http://a b", "http://a\r\nX: y", "unix:"})
    EXPECT_THROW(parse_load_target(wrong), Error) << wrong;
}

TEST(LoadPrompts, BeginAlikeAsFarAsTheyShould) {
  LoadPrompts prompts{.prompt_tokens = 100, .shared_tokens = 40, .rate = {.fixed = 10, .per_word = 2}};
  const std::string first = prompts.body(0), second = prompts.body(1);
  EXPECT_EQ(first, prompts.body(0));
  EXPECT_EQ(std::ranges::count(first.substr(0, first.find("max_tokens")), ' '), 44);  // 45 words: (100 - 10) / 2
  const auto part = std::ranges::mismatch(first, second).in1 - first.begin();
  EXPECT_GE(std::ranges::count(first.substr(0, static_cast<size_t>(part)), ' '), 20);
  EXPECT_LT(std::ranges::count(first.substr(0, static_cast<size_t>(part)), ' '), 25);
}

TEST(WordRate, IsFoundFromTwoPrompts) {
  const WordRate rate = word_rate(16, 30, 144, 222);
  EXPECT_DOUBLE_EQ(rate.per_word, 1.5);
  EXPECT_DOUBLE_EQ(rate.fixed, 6);
  EXPECT_EQ(rate.words(306), 200);
  EXPECT_EQ(rate.words(1), 1);
  EXPECT_EQ(word_rate(16, 30, 144, 30).words(7), 7);
}

TEST(LoadPrompts, AreReadOfAFile) {
  const test::TempDir folder;
  LoadPrompts prompts{.output_tokens = 5};
  prompts.read(
      folder.write("p", "{\"prompt\":\"a\",\"max_tokens\":3}\n\n{\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}\n"));
  EXPECT_NE(prompts.body(0).find("\"content\":\"a\"}],\"max_tokens\":3"), std::string::npos) << prompts.body(0);
  EXPECT_NE(prompts.body(1).find("\"b\",\"role\":\"user\"}],\"max_tokens\":5"), std::string::npos) << prompts.body(1);
  EXPECT_EQ(prompts.body(2), prompts.body(0));
  for (const char* wrong :
       {"", "{}", "[]", "{", "{\"prompt\":5}", "{\"prompt\":\"a\",\"messages\":[]}", "{\"prompt\":\"a\",\"max_tokens\":0}"})
    EXPECT_THROW(LoadPrompts{}.read(folder.write("w", wrong)), Error) << wrong;
  LoadPrompts text{.chat = false};
  EXPECT_THROW(text.read(folder.write("w", "{\"messages\":[]}")), Error);
}

}  // namespace
}  // namespace skald::serve::load_stream_test
