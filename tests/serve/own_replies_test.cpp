// The server's answers are sent back as a part of the chat. Each template, built in or of others, takes every reply of its
// format, in the form of each API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "serve/api_error.h"
#include "serve/chat/chat.h"
#include "serve/fields/message.h"
#include "serve/fields/ollama.h"
#include "serve/fields/response.h"
#include "serve/run/answer.h"
#include "tests/serve/every_template.h"

namespace skald::serve::own_replies_test {
namespace {

using testing::HasSubstr;

Json schema() { return {{"type", "object"}, {"properties", {{"city", {{"type", "string"}, {"description", "which"}}}}}}; }
Json openai_tools() {
  return Json::array(
      {{{"type", "function"}, {"function", {{"name", "get_weather"}, {"description", "now"}, {"parameters", schema()}}}}});
}

/// Replies of each kind, with the ids that the server gives to calls of the format.
std::vector<Reply> replies(const ReplyFormat& format) {
  const auto id = [&] { return format.short_ids ? random_id(9) : "call_" + random_id(); };
  const auto call = [&](const char* city) {
    return ReplyCall{.name = "get_weather", .arguments = Json{{"city", city}}.dump(), .id = id()};
  };
  std::vector<Reply> out;
  for (const char* reasoning : {"", "I should look."})
    for (const char* content : {"", "Let me see."})
      for (int n = 0; n < 3; ++n) {
        Reply reply{.content = content, .reasoning = reasoning};
        if (n > 0) reply.calls.push_back(call("Oslo"));
        if (n > 1) reply.calls.push_back(call("Zagreb"));
        if (n > 0 || *content) out.push_back(std::move(reply));
      }
  return out;
}

std::string result_of(size_t call) { return std::to_string(call + 18) + " degrees"; }

Json openai_body(const Reply& reply) {
  Json said = {{"role", "assistant"}, {"content", nullptr}};
  if (!reply.content.empty()) said["content"] = reply.content;
  if (!reply.reasoning.empty()) said["reasoning_content"] = reply.reasoning;
  Json messages = Json::array({{{"role", "user"}, {"content", "How is it?"}}, said});
  for (size_t i = 0; i < reply.calls.size(); ++i) {
    messages[1]["tool_calls"].push_back(call_json(reply.calls[i], static_cast<int>(i), /*with_index=*/false));
    messages.push_back({{"role", "tool"}, {"tool_call_id", reply.calls[i].id}, {"content", result_of(i)}});
  }
  if (reply.calls.empty()) messages.push_back({{"role", "user"}, {"content", "And now?"}});
  return {{"messages", messages}, {"tools", openai_tools()}};
}

Chat openai(const Reply& reply, const ServeOptions& options) {
  const Json body = openai_body(reply);
  return read_chat(Fields(body), options);
}

Chat anthropic(const Reply& reply, const ServeOptions& options) {
  Json said = Json::array(), results = Json::array();
  if (!reply.reasoning.empty()) said.push_back({{"type", "thinking"}, {"thinking", reply.reasoning}, {"signature", ""}});
  if (!reply.content.empty()) said.push_back({{"type", "text"}, {"text", reply.content}});
  for (size_t i = 0; i < reply.calls.size(); ++i) {
    const ReplyCall& call = reply.calls[i];
    said.push_back({{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", Json::parse(call.arguments)}});
    results.push_back({{"type", "tool_result"}, {"tool_use_id", call.id}, {"content", result_of(i)}});
  }
  const Json next = results.empty() ? Json("And now?") : results;
  const Json body = {{"messages",
                      {{{"role", "user"}, {"content", "How is it?"}},
                       {{"role", "assistant"}, {"content", said}},
                       {{"role", "user"}, {"content", next}}}},
                     {"tools", {{{"name", "get_weather"}, {"description", "now"}, {"input_schema", schema()}}}}};
  GenerationRequest unused;
  return read_messages(Fields(body), options, unused);
}

Chat response(const Reply& reply, const ServeOptions& options) {
  Json input = Json::array({{{"role", "user"}, {"content", "How is it?"}}}), results = Json::array();
  if (!reply.reasoning.empty())
    input.push_back({{"type", "reasoning"}, {"content", {{{"type", "reasoning_text"}, {"text", reply.reasoning}}}}});
  if (!reply.content.empty())
    input.push_back(
        {{"type", "message"}, {"role", "assistant"}, {"content", {{{"type", "output_text"}, {"text", reply.content}}}}});
  for (size_t i = 0; i < reply.calls.size(); ++i) {
    const ReplyCall& call = reply.calls[i];
    input.push_back({{"type", "function_call"}, {"call_id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    results.push_back({{"type", "function_call_output"}, {"call_id", call.id}, {"output", result_of(i)}});
  }
  for (Json& result : results) input.push_back(std::move(result));
  if (reply.calls.empty()) input.push_back({{"role", "user"}, {"content", "And now?"}});
  const Json body = {
      {"input", input},
      {"tools", {{{"type", "function"}, {"name", "get_weather"}, {"description", "now"}, {"parameters", schema()}}}}};
  GenerationRequest out;
  return read_response_request(Fields(body), options, out);
}

// Without ids, as ollama's clients have it.
Chat ollama(const Reply& reply, const ServeOptions& options) {
  Json body = openai_body(reply);
  for (Json& message : body["messages"]) {
    message.erase("tool_call_id");
    if (message["role"] == "tool") message["tool_name"] = "get_weather";
    if (message.contains("reasoning_content")) message["thinking"] = message["reasoning_content"];
    message.erase("reasoning_content");
    for (Json& call : message.value("tool_calls", Json::array())) call.erase("id");
    if (!message.contains("tool_calls")) continue;
    for (Json& call : message["tool_calls"]) {
      call.erase("id");
      call["function"]["arguments"] = Json::parse(call["function"]["arguments"].get<std::string>());
    }
  }
  Chat out = chat_defaults(options);
  out.messages = ollama_messages(Fields(body));
  out.tools = checked_tools(body["tools"], "tools");
  return out;
}

struct Api {
  const char* name;
  Chat (*chat)(const Reply& reply, const ServeOptions& options);
};

class OwnReplies : public testing::TestWithParam<NamedTemplate> {};

TEST_P(OwnReplies, AreTakenBack) {
  if (GetParam().source.find(".append(") != std::string::npos)
    GTEST_SKIP() << "changes a list, which the sandbox of templates does not allow";
  ServeOptions options;
  options.chat_template = GetParam().source;
  options.n_ctx = 256;
  ServedModel model("", "m", options);
  for (const Api& api :
       {Api{"openai", openai}, Api{"anthropic", anthropic}, Api{"responses", response}, Api{"ollama", ollama}})
    for (const Reply& reply : replies(model.reply_format())) {
      SCOPED_TRACE(std::string(api.name) + ": " + openai_body(reply).dump());
      try {
        const std::string prompt = render(api.chat(reply, options), model).text.bytes();
        if (reply.calls.empty()) {
          EXPECT_THAT(prompt, HasSubstr(reply.content));
        }
        for (size_t i = 0; i < reply.calls.size(); ++i) {
          EXPECT_THAT(prompt, HasSubstr(i == 0 ? "Oslo" : "Zagreb"));
          EXPECT_THAT(prompt, HasSubstr(result_of(i)));
        }
      } catch (const ApiError& error) {
        ADD_FAILURE() << error.what();
      }
    }
}

INSTANTIATE_TEST_SUITE_P(EveryTemplate, OwnReplies, testing::ValuesIn(every_template()),
                         [](const auto& info) { return test_name(info.param); });

TEST(OwnReplies, OfOthersTemplatesAreTriedWhereTheyLie) {
  if (!std::filesystem::exists(test::shared_dir() / "templates")) GTEST_SKIP() << "no ../shared/templates";
  EXPECT_GT(every_template().size(), builtin_templates().size() + 30);
}

}  // namespace
}  // namespace skald::serve::own_replies_test
