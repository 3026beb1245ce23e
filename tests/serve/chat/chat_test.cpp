// Chats of requests: the prompt that they become, and the answers allowed.
#include "serve/chat/chat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fields/message.h"
#include "serve/fields/ollama.h"
#include "serve/fields/response.h"

namespace skald::serve::chat_test {
namespace {

using testing::EndsWith;

constexpr const char* kPlain =
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if tools %}<tool_call>{% endif %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}";
constexpr const char* kThinks =
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]"
    "{% if enable_thinking is defined and enable_thinking %}<think>{% elif thinking is defined and not thinking %}"
    "<think></think>{% endif %}{% endif %}";
constexpr const char* kAlwaysThinks =
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}[assistant]<think>\n"
    "{% endif %}";

/// The embedded model with a template.
struct Served {
  explicit Served(const char* chat_template) {
    options.chat_template = chat_template;
    options.n_ctx = 1024;
    model.emplace("", "m", options);
  }
  RenderedChat chat(Json body) {
    body["messages"] = Json::array({{{"role", "user"}, {"content", "Hi"}}});
    return render(read_chat(Fields(body), options), *model);
  }

  ServeOptions options;
  std::optional<ServedModel> model;
};

std::string prompt(const RenderedChat& chat) { return chat.text.bytes(); }

TEST(Thinking, IsNoneWhereTheTemplateAndTheVocabularyKnowNone) {
  Served plain(kPlain), thinks(kThinks);
  EXPECT_FALSE(plain.chat({}).reading.thinks);
  EXPECT_TRUE(thinks.chat({}).reading.thinks);
  for (const Json& none : {Json{{"reasoning_budget", 0}}, Json{{"reasoning_effort", "none"}},
                           Json{{"chat_template_kwargs", {{"enable_thinking", false}}}}})
    EXPECT_FALSE(thinks.chat(none).reading.thinks) << none;
  EXPECT_EQ(thinks.chat({{"reasoning_budget", 0}}).reading.options.reasoning_budget, 0) << "ended, should it begin";
  EXPECT_EQ(plain.chat({{"reasoning_budget", 0}}).reading.options.reasoning_budget, -1);
  GenerationRequest made;
  Chat chat = read_chat(Fields(Json{{"messages", {{{"role", "user"}, {"content", "Hi"}}}}}), plain.options);
  set_chat(std::move(chat), *plain.model, made);
  EXPECT_FALSE(made.request.grammar.reply.reasoning);
}

TEST(Thinking, ThatIsAskedForIsSwitchedOnAndOff) {
  Served thinks(kThinks);
  EXPECT_THAT(prompt(thinks.chat({})), EndsWith("[assistant]"));
  EXPECT_THAT(prompt(thinks.chat({{"reasoning_effort", "high"}})), EndsWith("<think>"));
  EXPECT_THAT(prompt(thinks.chat({{"reasoning_budget", 200}})), EndsWith("<think>"));
  EXPECT_THAT(prompt(thinks.chat({{"reasoning_budget", 0}})), EndsWith("<think></think>"));
  EXPECT_THAT(prompt(thinks.chat({{"reasoning_effort", "none"}})), EndsWith("<think></think>"));
  const Json own = {{"reasoning_budget", 200}, {"chat_template_kwargs", {{"enable_thinking", false}}}};
  EXPECT_THAT(prompt(thinks.chat(own)), EndsWith("[assistant]")) << "the request's own variables count first";
}

TEST(Thinking, IsAskedForInEveryApi) {
  Served thinks(kThinks);
  const auto anthropic = [&](const char* type) {
    const Json body = {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"thinking", {{"type", type}}}};
    GenerationRequest unused;
    return prompt(render(read_messages(Fields(body), thinks.options, unused), *thinks.model));
  };
  EXPECT_THAT(anthropic("enabled"), EndsWith("<think>"));
  EXPECT_THAT(anthropic("adaptive"), EndsWith("<think>"));
  EXPECT_THAT(anthropic("disabled"), EndsWith("<think></think>"));
  const auto response = [&](const char* effort) {
    const Json body = {{"input", "Hi"}, {"reasoning", {{"effort", effort}}}};
    GenerationRequest out;
    return prompt(render(read_response_request(Fields(body), thinks.options, out), *thinks.model));
  };
  EXPECT_THAT(response("low"), EndsWith("<think>"));
  EXPECT_THAT(response("none"), EndsWith("<think></think>"));
  const auto ollama = [&](const Json& think) {
    const Json body = {{"messages", {{{"role", "user"}, {"content", "Hi"}}}}, {"think", think}};
    Chat chat = chat_defaults(thinks.options);
    chat.messages = ollama_messages(Fields(body));
    read_think(Fields(body), chat);
    return prompt(render(std::move(chat), *thinks.model));
  };
  EXPECT_THAT(ollama(true), EndsWith("<think>"));
  EXPECT_THAT(ollama("high"), EndsWith("<think>"));
  EXPECT_THAT(ollama(false), EndsWith("<think></think>"));
}

TEST(Thinking, OfARequestCountsBeforeTheServersFlags) {
  Served thinks(kThinks);
  thinks.options.reasoning_budget = 0;
  EXPECT_THAT(prompt(thinks.chat({})), EndsWith("<think></think>"));
  const RenderedChat asked = thinks.chat({{"reasoning_effort", "high"}});
  EXPECT_THAT(prompt(asked), EndsWith("<think>"));
  EXPECT_TRUE(asked.reading.thinks);
}

TEST(Thinking, ThatATemplateAlwaysBeginsIsEndedWhereNoneIsWanted) {
  Served always(kAlwaysThinks);
  EXPECT_THAT(prompt(always.chat({})), EndsWith("[assistant]<think>\n"));
  const RenderedChat none = always.chat({{"reasoning_budget", 0}});
  EXPECT_THAT(prompt(none), EndsWith("[assistant]<think>\n\n</think>\n\n"));
  EXPECT_THAT(none.reading.ending, EndsWith("</think>\n\n"));
}

}  // namespace
}  // namespace skald::serve::chat_test
