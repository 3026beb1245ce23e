#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/text/chat/replies/replies.h"
#include "text/chat/replies/white_space.h"

namespace skald::reply_cases_test {
namespace {

using nlohmann::json;

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }

void check(const json& c, const json& tools) {
  ReplyOptions options{.tools = ReplyTools::parse((c.contains("tools") ? c["tools"] : tools).dump()),
                       .generation_prompt = c.value("generation_prompt", "")};
  const Reply reply =
      replies_test::read(c["format"].get<std::string>(), c["text"].get<std::string>(), options, c.value("truncated", false));
  const json& want = c["expect"];
  ASSERT_EQ(reply.calls.size(), want["tool_calls"].size()) << replies_test::shown(reply);
  for (size_t i = 0; i < reply.calls.size(); ++i) {
    EXPECT_EQ(reply.calls[i].name, want["tool_calls"][i]["name"]);
    EXPECT_EQ(json::parse(reply.calls[i].arguments), want["tool_calls"][i]["arguments"]);
  }
  if (want.contains("content")) {
    EXPECT_EQ(trimmed(reply.content), text_of(want["content"]));
  }
  if (want.contains("reasoning_content")) {
    EXPECT_EQ(trimmed(reply.reasoning), text_of(want["reasoning_content"]));
  }
}

TEST(Replies, AreReadAsExpectedWhereverTheyAreCut) {
  const json file = json::parse(std::ifstream(test::data_dir() / "replies/cases.json"));
  for (const json& c : file["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    check(c, file["tools"]);
  }
}

}  // namespace
}  // namespace skald::reply_cases_test
