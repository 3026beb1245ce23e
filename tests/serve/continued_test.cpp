// A last message of the assistant is continued, in every API and by every template.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/api_error.h"
#include "serve/chat/chat.h"
#include "serve/fields/message.h"
#include "serve/fields/ollama.h"
#include "serve/fields/response.h"
#include "tests/serve/every_template.h"
#include "text/chat/replies/open_reasoning.h"

namespace skald::serve::continued_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// The embedded model with a template.
struct Served {
  explicit Served(const std::string& chat_template) {
    options.chat_template = chat_template;
    options.n_ctx = 256;
    model.emplace("", "m", options);
  }
  RenderedChat openai(Json body) { return render(read_chat(Fields(body), options), *model); }
  std::string prompt(Json body) { return openai(std::move(body)).text.bytes(); }

  ServeOptions options;
  std::optional<ServedModel> model;
};

constexpr const char* kBegun = "1, 2,";

Json messages(const Json& content = kBegun) {
  return {{{"role", "user"}, {"content", "Count to five."}}, {{"role", "assistant"}, {"content", content}}};
}

class Continued : public testing::TestWithParam<NamedTemplate> {};

Json tools() {
  return {{{"type", "function"},
           {"function",
            {{"name", "f"}, {"description", "d"}, {"parameters", {{"type", "object"}, {"properties", Json::object()}}}}}}};
}

TEST_P(Continued, GoesOnWhereTheMessageEnds) {
  Served served(GetParam().source);
  const Json thought = {{"role", "assistant"}, {"content", kBegun}, {"reasoning_content", "I count."}};
  for (const Json& body :
       {Json{{"messages", messages()}, {"tools", tools()}}, Json{{"messages", {messages()[0], thought}}}}) {
    const RenderedChat chat = served.openai(body);
    EXPECT_THAT(chat.text.bytes(), EndsWith(kBegun));
    EXPECT_EQ(chat.reading.begun, kBegun);
  }
  const RenderedChat chat = served.openai({{"messages", messages()}});
  EXPECT_THAT(chat.text.bytes(), EndsWith(kBegun));
  EXPECT_THAT(chat.text.bytes(), HasSubstr("Count to five."));
  EXPECT_EQ(chat.reading.begun, kBegun);
  const ReplyFormat& format = *chat.reading.format;
  EXPECT_EQ(open_reasoning(reasoning_marks(format), std::string(format.content.before) + chat.reading.ending), nullptr)
      << "the answer is content: " << chat.reading.ending;
  const Reply reply = parse_reply(format, " 3.", {.generation_prompt = chat.reading.ending + chat.reading.begun});
  EXPECT_EQ(reply.content, " 3.") << "what is there is not said again";
}

INSTANTIATE_TEST_SUITE_P(EveryTemplate, Continued, testing::ValuesIn(every_template()),
                         [](const auto& info) { return test_name(info.param); });

TEST(LastMessages, OfTheAssistantAreContinuedInEveryApi) {
  Served served("chatml");
  const std::string want = "<|im_start|>user\nCount to five.<|im_end|>\n<|im_start|>assistant\n1, 2,";
  const Json body = {{"messages", messages()}};
  EXPECT_EQ(served.prompt(body), want);
  EXPECT_EQ(served.prompt({{"messages", messages({{{"type", "text"}, {"text", kBegun}}})}}), want);
  GenerationRequest unused;
  EXPECT_EQ(render(read_messages(Fields(body), served.options, unused), *served.model).text.bytes(), want);
  const Json input = {{"input", messages()}};
  GenerationRequest out;
  EXPECT_EQ(render(read_response_request(Fields(input), served.options, out), *served.model).text.bytes(), want);
  Chat ollama = chat_defaults(served.options);
  ollama.messages = ollama_messages(Fields(body));
  EXPECT_EQ(render(std::move(ollama), *served.model).text.bytes(), want);
}

TEST(LastMessages, AreFollowedByAnAnswerWhereTheRequestSaysSo) {
  Served served("chatml");
  for (const auto& [key, value] : {std::pair{"continue_final_message", false}, std::pair{"add_generation_prompt", true}})
    EXPECT_THAT(served.prompt({{"messages", messages()}, {key, value}}),
                EndsWith("1, 2,<|im_end|>\n<|im_start|>assistant\n"));
  EXPECT_THAT(served.prompt({{"messages", messages()}, {"add_generation_prompt", false}}), EndsWith("1, 2,<|im_end|>\n"));
  EXPECT_THAT(served.prompt({{"messages", messages()}, {"continue_final_message", true}}), EndsWith("assistant\n1, 2,"));
}

TEST(LastMessages, ThatCallToolsStay) {
  Served served(
      "{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ m.tool_calls }}{% endfor %}"
      "{% if add_generation_prompt %}[go]{% endif %}{# tools <tool_call> #}");
  Json all = messages();
  all[1]["tool_calls"] = {{{"id", "a"}, {"type", "function"}, {"function", {{"name", "f"}, {"arguments", "{}"}}}}};
  EXPECT_THAT(served.prompt({{"messages", all}}), EndsWith("[go]"));
}

// Clients put an empty message there to begin with.
TEST(LastMessages, WithoutATextAreNone) {
  Served served("chatml");
  EXPECT_THAT(served.prompt({{"messages", messages("")}}),
              testing::AllOf(EndsWith("five.<|im_end|>\n<|im_start|>assistant\n"), Not(HasSubstr("assistant\n<|im_end|>"))));
}

TEST(LastMessages, MayBeginWithThinking) {
  Served served("chatml");
  const RenderedChat thinks = served.openai({{"messages", messages("<think>Well")}});
  EXPECT_THAT(thinks.text.bytes(), EndsWith("<think>Well"));
  EXPECT_EQ(thinks.reading.begun, "");
  const Reply reply =
      parse_reply(*thinks.reading.format, " then.</think>Five.", {.generation_prompt = thinks.reading.ending});
  EXPECT_EQ(reply.reasoning, "then.");
  EXPECT_EQ(reply.content, "Five.");
  EXPECT_EQ(served.openai({{"messages", messages("<think>Well</think>\n\nFi")}}).reading.begun, "Fi");
}

// Clients' texts are text, wherever they stand.
TEST(LastMessages, AreNoControlTokens) {
  Served served(
      "{% for m in messages %}{% if m.role == 'assistant' %}{{ raise_exception('never') }}{% endif %}"
      "{{ m.content }}{% endfor %}{% if add_generation_prompt %}[go]{% endif %}");
  const RenderedChat chat = served.openai({{"messages", messages("<|endoftext|>a")}});
  EXPECT_THAT(chat.text.bytes(), EndsWith("[go]<|endoftext|>a")) << "templates that refuse answers at the end";
  const size_t size = chat.text.size();
  EXPECT_FALSE(chat.text.is_trusted(size - 14, size));
  EXPECT_TRUE(chat.text.is_trusted(size - 18, size - 14));
}

// The whole content fits a constraint, or the added part does.
TEST(LastMessages, CountForConstraints) {
  Served served("chatml");
  const auto answer = [&](const char* begun) {
    GenerationRequest out;
    out.request.max_tokens = 60;
    out.request.sampling.temperature = 0;
    out.request.grammar = {.kind = GrammarParams::Kind::kJsonSchema, .text = R"({"enum": [{"city": "Oslo"}]})"};
    set_chat(read_chat(Fields(Json{{"messages", messages(begun)}}), served.options), *served.model, out);
    Request request = out.request;
    request.prompt = out.prompts[0];
    return served.model->engine().generate(std::move(request)).text;
  };
  EXPECT_EQ(answer("{\"city\""), ": \"Oslo\"}");
  EXPECT_EQ(answer("Here it is:"), "{\"city\": \"Oslo\"}");
}

}  // namespace
}  // namespace skald::serve::continued_test
