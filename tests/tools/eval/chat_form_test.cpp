// Tasks as users of a chat set them, and the part of a reply that counts.
#include "tools/eval/chat_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "skald/model.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"
#include "tools/eval/evaluate.h"

namespace skald::chat_form_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kTemplate =
    "{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}";
constexpr const char* kThinks =
    "{% for m in messages %}{{ m.content }}\n{% endfor %}{% if add_generation_prompt %}<think>\n{% endif %}";

class InAChat : public testing::Test {
 protected:
  static ChatFormOptions options(const char* text, std::string system = {}) {
    return {.chat_template = text, .system = std::move(system), .kwargs = nlohmann::ordered_json::object()};
  }
  EvalCase make(const ChatForm& form, int64_t length) const {
    return form.make(find_eval_suite("needle"), text_, length, /*seed=*/3);
  }
  std::string content(const ChatForm& form, std::string_view reply, bool truncated = false) const {
    return form.content(text_.encode(reply), truncated);
  }

  Model model_ = Model::embedded();
  EvalText text_{*model_.loaded(), {}, EvalText::Form::kChat};
};

TEST_F(InAChat, ATaskIsWhatTheUserSays) {
  const ChatForm form(*model_.loaded(), options(kTemplate, "Be short."));
  const EvalCase c = make(form, 400);
  EXPECT_LE(std::ssize(c.prompt), 400);
  EXPECT_GT(std::ssize(c.prompt), 360);
  EXPECT_EQ(c.n_generate, 256);
  const std::string prompt = text_.decode(c.prompt);
  EXPECT_THAT(prompt, StartsWith("<system>Be short.</system>\n<user>A special magic number"));
  EXPECT_THAT(prompt, EndsWith("Answer with the number alone.</user>\n<assistant>"));
  EXPECT_THAT(prompt, HasSubstr(c.answers[0]));
}

TEST_F(InAChat, ALengthWithoutRoomForTheTaskIsRefused) {
  const ChatForm form(*model_.loaded(), options(kTemplate));
  const Error e = test::error_of([&] { make(form, 60); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), HasSubstr("of 60 tokens"));
}

TEST_F(InAChat, ThinkingDoesNotCountAsTheAnswer) {
  const ChatForm plain(*model_.loaded(), options(kTemplate)), thinks(*model_.loaded(), options(kThinks));
  EXPECT_THAT(content(plain, "<think>Is it 12?</think>It is 34."), EndsWith("It is 34."));
  EXPECT_THAT(content(plain, "<think>Is it 12?</think>It is 34."), testing::Not(HasSubstr("12")));
  EXPECT_THAT(content(thinks, "Is it 12?</think>It is 34."), testing::Not(HasSubstr("12"))) << "the prompt began it";
  EXPECT_EQ(content(thinks, "Is it 12?", /*truncated=*/true), "");
}

TEST_F(InAChat, AnswersAreKeptApartFromThoseOfOtherForms) {
  test::TempDir dir;
  EvalOptions o{.suites = {&find_eval_suite("needle")}, .lengths = {300}, .cases = 1, .save = dir.path("answers.jsonl")};
  o.compute.device.n_threads = 1;
  o.methods = {EvalMethod::named("dense"), EvalMethod::named("sparq:1")};
  o.caches = {EvalCache::named("f32")};
  int answers = 0;
  o.on_answer = [&](const EvalProgress&) { ++answers; };
  EXPECT_EQ(evaluate(*model_.loaded(), o).form, "text");
  const auto lines = [&] {
    std::ifstream in(o.save);
    return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
  };
  EXPECT_EQ(lines(), 3);
  for (const char* chat_template : {kTemplate, kThinks}) {
    o.chat = options(chat_template);
    o.chat->n_predict = 8;
    const EvalResult r = evaluate(*model_.loaded(), o);
    EXPECT_EQ(r.form, "chat");
    EXPECT_LE(r.rows[0].tokens, 8);
    EXPECT_EQ(r.rows[0].tokens, r.rows[1].tokens);
  }
  EXPECT_EQ(lines(), 7);
  evaluate(*model_.loaded(), o);
  EXPECT_EQ(lines(), 7) << "nothing is asked twice";
}

TEST_F(InAChat, WhatPredictsIsRefusedByName) {
  EvalOptions o{.suites = {&find_eval_suite("perplexity")}, .lengths = {300}};
  o.methods = {EvalMethod::named("dense")};
  o.caches = {EvalCache::named("f32")};
  o.chat = options(kTemplate);
  EXPECT_THAT(test::error_of([&] { evaluate(*model_.loaded(), o); }).what(), HasSubstr("perplexity"));
}

}  // namespace
}  // namespace skald::chat_form_test
