#include "text/chat/chat_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace skald::chat_request_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

ChatRequest read(const char* json, Json* rest = nullptr) { return read_chat_request(Json::parse(json), "file.json", rest); }

TEST(ChatRequestFile, IsAListOfMessagesOrARequest) {
  EXPECT_EQ(read(R"([{"role": "user"}])").messages.size(), 1u);
  Json rest;
  const ChatRequest request = read(
      R"({"model": "m", "messages": [], "tools": [1], "chat_template_kwargs": {"a": 1}, "add_generation_prompt": false})",
      &rest);
  EXPECT_EQ(request.tools.size(), 1u);
  EXPECT_EQ(request.kwargs["a"], 1);
  EXPECT_FALSE(request.add_generation_prompt);
  EXPECT_EQ(rest.dump(), R"({"model":"m"})");
}

TEST(ChatRequestFile, AddsAGenerationPromptUnlessItContinuesTheLastMessage) {
  EXPECT_TRUE(read(R"({"messages": []})").add_generation_prompt);
  const ChatRequest request = read(R"({"messages": [], "continue_final_message": true})");
  EXPECT_TRUE(request.continue_final_message);
  EXPECT_FALSE(request.add_generation_prompt);
}

TEST(ChatRequestFile, ThatIsWrongIsNamed) {
  for (const char* wrong : {"3", "{}", "{\"messages\": 3}", R"({"messages": [], "add_generation_prompt": 1})",
                            R"({"messages": [], "continue_final_message": "yes"})"})
    EXPECT_THAT(test::error_of([&] { read(wrong); }).what(), HasSubstr("file.json")) << wrong;
}

}  // namespace
}  // namespace skald::chat_request_test
