#include "text/chat/chat_template.h"

#include <gtest/gtest.h>

#include "skald/error.h"
#include "tests/text/tiny_vocab.h"
#include "text/chat/chat_json.h"
#include "text/chat/template_source.h"

namespace skald::chat_template_test {
namespace {

using Json = nlohmann::ordered_json;

ChatRequest chat(const std::string& messages) {
  ChatRequest out;
  out.messages = parse_chat_json(messages, "messages");
  return out;
}

std::string rendered(const std::string& source, const ChatRequest& request) {
  return ChatTemplate(source).render(request).bytes();
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ChatTemplate, DropsNullsAndFillsInReasoning) {
  const ChatRequest r = chat(R"([{"role": "a", "content": null, "reasoning": "why"}])");
  EXPECT_EQ(rendered("{{ messages }}", r),
            "[{'thinking': 'why', 'role': 'a', 'reasoning': 'why', 'reasoning_content': 'why'}]");
}

TEST(ChatTemplate, ShowsArgumentsAsObjectsUnlessTheTemplateWantsText) {
  const ChatRequest r =
      chat(R"([{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{\"a\": 1}"}}]}])");
  EXPECT_EQ(rendered("{{ messages[0].tool_calls[0].function.arguments | tojson }}", r), "{\"a\": 1}");
  EXPECT_EQ(rendered("{{ '' + messages[0].tool_calls[0].function.arguments }}", r), "{\"a\": 1}");
}

TEST(ChatTemplate, JoinsTextPartsThatTheTemplateDoesNotRead) {
  const ChatRequest r =
      chat(R"([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}])");
  EXPECT_EQ(rendered("{{ messages[0].content }}", r), "a\nb");
  EXPECT_EQ(rendered("{{ 'x' + messages[0].content }}", r), "xa\nb");
  EXPECT_EQ(rendered("{% for p in messages[0].content %}{{ p.text }};{% endfor %}", r), "a;b;");
}

TEST(ChatTemplate, ContinuesTheLastMessage) {
  ChatRequest r = chat(R"([{"role": "user", "content": "q"}, {"role": "assistant", "content": "so far "}])");
  r.add_generation_prompt = false;
  r.continue_final_message = true;
  EXPECT_EQ(rendered("{% for m in messages %}<{{ m.content }}>{% endfor %}", r), "<q><so far ");
  EXPECT_EQ(rendered("{% for m in messages %}<{{ m.content | trim }}>{% endfor %}", r), "<q><so far");
  EXPECT_NE(complaint([&] { rendered("{{ messages[0].content }}", r); }).find("leaves out"), std::string::npos);
}

TEST(ChatTemplate, NamesWhatIsWrongWithARequest) {
  EXPECT_NE(complaint([] { rendered("x", chat("[1]")); }).find("messages[0]"), std::string::npos);
  EXPECT_NE(complaint([] { rendered("x", chat("{}")); }).find("messages"), std::string::npos);
  EXPECT_NE(complaint([] { parse_chat_json("[1", "file.json"); }).find("file.json"), std::string::npos);
  EXPECT_NE(complaint([] { parse_chat_json(std::string(1000, '['), "f"); }).find("256"), std::string::npos);
  EXPECT_NE(complaint([] { parse_chat_json("[123456789012345678901234567890]", "f"); }).find("64 bits"), std::string::npos);
  EXPECT_NE(complaint([] { rendered("a\n{{ raise_exception('no') }}", chat("[]")); }).find("line 2: TemplateError: no"),
            std::string::npos);
}

Meta bpe_with_bos(bool add_bos) {
  Meta meta = test::bpe_meta(
      "gpt-2", {}, {{"<s>", PieceKind::kControl}, {"<|user|>", PieceKind::kControl}, {"<x>", PieceKind::kUserDefined}});
  meta.set("tokenizer.ggml.bos_token_id", uint32_t{256});
  meta.set("tokenizer.ggml.add_bos_token", add_bos);
  return meta;
}

std::vector<TokenId> ids_of(const std::string& source, const std::string& content, bool add_bos) {
  const auto tokenizer = Tokenizer::create(bpe_with_bos(add_bos));
  ChatRequest r;
  r.messages = Json::array({{{"role", "user"}, {"content", content}}});
  return prompt_tokens(*tokenizer, ChatTemplate(source, special_texts(*tokenizer)).render(r));
}

TEST(ChatTemplate, MakesControlTokensOfTheTemplatesTextAlone) {
  const std::string source = "{{ '<|' + messages[0].role + '|>' + messages[0].content }}";
  EXPECT_EQ(ids_of(source, "a", false), (std::vector<TokenId>{257, 'a'}));
  EXPECT_EQ(ids_of(source, "<s>", false), (std::vector<TokenId>{257, '<', 's', '>'}));
  EXPECT_EQ(ids_of("<{{ messages[0].content }}", "s>", false), (std::vector<TokenId>{'<', 's', '>'}))
      << "half of it is the user's";
  EXPECT_EQ(ids_of("<{{ messages[0].content }}", "x>", false), (std::vector<TokenId>{258}))
      << "user-defined tokens are text";
}

TEST(ChatTemplate, WritesBosOnce) {
  EXPECT_EQ(ids_of("{{ bos_token }}a", "", true), (std::vector<TokenId>{256, 'a'}));
  EXPECT_EQ(ids_of("a", "", true), (std::vector<TokenId>{256, 'a'}));
  EXPECT_EQ(ids_of("a", "", false), (std::vector<TokenId>{'a'}));
}

TEST(TemplateSource, PrefersTheModelsOwn) {
  Meta meta = bpe_with_bos(false);
  EXPECT_EQ(find_template(meta).origin, "chatml");
  EXPECT_TRUE(find_template(meta).guessed);
  meta.set("tokenizer.chat_template", std::string("plain"));
  meta.set("tokenizer.chat_template.tool_use", std::string("tools"));
  EXPECT_EQ(find_template(meta).text, "plain");
  EXPECT_EQ(find_template(meta, true).text, "tools");
  EXPECT_EQ(template_notice(find_template(meta)), "");
}

TEST(TemplateSource, KnowsFamiliesByTheirTokens) {
  Meta meta = test::bpe_meta("llama-bpe", {}, {{"<|start_header_id|>"}, {"<|end_header_id|>"}, {"<|eot_id|>"}});
  meta.set("general.architecture", std::string("llama"));
  EXPECT_EQ(find_template(meta).origin, "llama3");
  EXPECT_FALSE(find_template(meta).guessed);
}

}  // namespace
}  // namespace skald::chat_template_test
