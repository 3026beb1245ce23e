#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "skald/c.h"
#include "skald/skald.h"
#include "tests/engine/requests.h"
#include "tests/support/paths.h"
#include "tests/support/random_adapter.h"
#include "tests/support/temp_dir.h"

namespace skald::c_test {
namespace {

using testing::HasSubstr;
using testing::StrEq;

template <auto kFree>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <class T, auto kFree>
using Owned = std::unique_ptr<T, Freed<kFree>>;

class C : public testing::Test {
 protected:
  void SetUp() override {
    skald_model* model = nullptr;
    ASSERT_EQ(skald_model_embedded(&model, &error), SKALD_OK) << error.message;
    this->model.reset(model);
    skald_engine* engine = nullptr;
    ASSERT_EQ(skald_engine_new(model, nullptr, &engine, &error), SKALD_OK) << error.message;
    this->engine.reset(engine);
    prompt = test::story_model().tokenize("Once upon a time");
  }

  skald_request request(int n_tokens) const {
    skald_request out = skald_request_defaults(model.get());
    out.prompt = prompt.data();
    out.n_prompt = prompt.size();
    out.max_tokens = n_tokens;
    out.ignore_eos = true;
    out.sampling.temperature = 0;
    return out;
  }
  skald_choice generate(const skald_request& request, size_t i = 0) {
    skald_result* out = nullptr;
    EXPECT_EQ(skald_generate(engine.get(), &request, &out, &error), SKALD_OK) << error.message;
    result.reset(out);
    skald_choice choice{};
    EXPECT_EQ(skald_result_choice(out, i, &choice, &error), SKALD_OK) << error.message;
    return choice;
  }

  skald_error error{};
  Owned<skald_model, skald_model_free> model;
  Owned<skald_engine, skald_engine_free> engine;
  Owned<skald_result, skald_result_free> result;
  std::vector<TokenId> prompt;
};

std::string text_of(const skald_choice& choice) { return {choice.text, choice.text_size}; }

TEST_F(C, GivesTheTextOfTheLibrary) {
  Engine library(test::story_model());
  const Result want = library.generate(test::story("Once upon a time", 24));
  const skald_choice got = generate(request(24));
  EXPECT_EQ(text_of(got), want.text);
  EXPECT_EQ(std::vector(got.tokens, got.tokens + got.n_tokens), want.tokens);
  EXPECT_EQ(got.finish, SKALD_FINISH_LENGTH);
  EXPECT_EQ(got.log_probs, nullptr);
  EXPECT_EQ(skald_result_timing(result.get()).n_prompt, std::ssize(prompt));
}

TEST_F(C, NamesControlVectorsThatAreNotThere) {
  const std::string path = (test::data_dir() / "golden/llama_gqa/model.gguf").string();
  const auto load = [&](const char* file) {
    const skald_control_vector vector{.path = file, .scale = 1};
    skald_load_options options = skald_load_defaults();
    options.control_vectors = &vector;
    options.n_control_vectors = 1;
    skald_model* none = nullptr;
    return skald_model_load(path.c_str(), &options, &none, &error);
  };
  EXPECT_EQ(load(nullptr), SKALD_BAD_INPUT);
  EXPECT_THAT(error.message, StrEq("control_vectors: path: NULL"));
  EXPECT_EQ(load("missing.gguf"), SKALD_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("missing.gguf"));
}

TEST_F(C, AppliesAdaptersAsTheLibraryDoes) {
  const test::TempDir dir;
  const std::string path = dir.path("a.gguf");
  write_gguf_adapter(test::random_adapter(*test::story_model().loaded(), 0.02f, 1), path);
  Request wanted = test::story("Once upon a time", 12);
  wanted.loras = {{Lora::load(test::story_model(), path), 0.5f}};
  skald_lora* loaded = nullptr;
  ASSERT_EQ(skald_lora_load(model.get(), path.c_str(), &loaded, &error), SKALD_OK) << error.message;
  const Owned<skald_lora, skald_lora_free> lora(loaded);
  const skald_lora_use use{.lora = loaded, .scale = 0.5f};
  skald_request asked = request(12);
  asked.loras = &use;
  asked.n_loras = 1;
  const skald_choice got = generate(asked);
  EXPECT_EQ(std::vector(got.tokens, got.tokens + got.n_tokens), Engine(test::story_model()).generate(wanted).tokens);
  EXPECT_EQ(skald_lora_load(model.get(), "missing.gguf", &loaded, &error), SKALD_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("missing.gguf"));
}

TEST_F(C, CallbacksHearTokensAndMayEndTheText) {
  struct Heard {
    std::string text;
    int tokens = 0, last = 0;
  } heard;
  skald_request r = request(100);
  r.user = &heard;
  r.on_event = [](const skald_event* event, void* user) {
    auto& to = *static_cast<Heard*>(user);
    to.text.append(event->text, event->text_size);
    to.last = event->finish;
    return event->token >= 0 && ++to.tokens == 5;
  };
  const skald_choice choice = generate(r);
  EXPECT_EQ(choice.finish, SKALD_FINISH_STOP);
  EXPECT_EQ(choice.n_tokens, 5);
  EXPECT_EQ(heard.text, text_of(choice));
  EXPECT_EQ(heard.last, SKALD_FINISH_STOP);
}

TEST_F(C, FollowsStopTextsGrammarsAndSamplers) {
  const char* stop[] = {" there", " was"};
  skald_request r = request(20);
  r.stop = stop;
  r.n_stop = 2;
  const skald_choice stopped = generate(r);
  EXPECT_EQ(stopped.finish, SKALD_FINISH_STOP);
  EXPECT_THAT(stopped.stop_text, StrEq(" there"));

  skald_request g = request(20);
  g.grammar = SKALD_REGEX;
  g.grammar_text = " [0-9]{3}";
  EXPECT_THAT(text_of(generate(g)), testing::MatchesRegex(" [0-9][0-9][0-9]"));

  skald_request s = request(8);
  const std::string greedy = text_of(generate(s));
  s.sampling.temperature = 1;
  s.sampling.samplers = "top_k";
  s.sampling.top_k = 1;
  EXPECT_EQ(text_of(generate(s)), greedy);
  const skald_logit_bias never = {.token = generate(request(1)).tokens[0], .bias = -INFINITY};
  s.sampling.logit_bias = &never;
  s.sampling.n_logit_bias = 1;
  EXPECT_NE(text_of(generate(s)), greedy);
}

TEST_F(C, GivesLogProbabilitiesOfTheMostLikelyTokens) {
  skald_request r = request(3);
  r.log_prob = true;
  r.top_log_probs = 4;
  const skald_choice choice = generate(r);
  ASSERT_NE(choice.log_probs, nullptr);
  for (size_t place = 0; place < choice.n_tokens; ++place) {
    const skald_token_log_prob* top = nullptr;
    size_t n_top = 0;
    ASSERT_EQ(skald_result_top(result.get(), 0, place, &top, &n_top, &error), SKALD_OK) << error.message;
    ASSERT_EQ(n_top, 4);
    EXPECT_EQ(top[0].token, choice.tokens[place]);
    EXPECT_EQ(top[0].log_prob, choice.log_probs[place]);
    EXPECT_GE(top[0].log_prob, top[3].log_prob);
  }
  const skald_token_log_prob* top = nullptr;
  size_t n_top = 0;
  EXPECT_EQ(skald_result_top(result.get(), 0, 3, &top, &n_top, &error), SKALD_BAD_INPUT);
  EXPECT_EQ(skald_result_top(result.get(), 1, 0, &top, &n_top, &error), SKALD_BAD_INPUT);
}

TEST_F(C, ComputesOnTheDeviceThatItIsTold) {
  skald_request r = request(3);
  r.log_prob = true;
  r.top_log_probs = 2;
  const skald_choice on_cpu = generate(r);
  const std::vector<double> want(on_cpu.log_probs, on_cpu.log_probs + on_cpu.n_tokens);
  skald_engine_options options = skald_engine_defaults();
  options.device = "simt";
  options.gpu_layers = "1";
  options.n_ctx = 256;
  skald_engine* made = nullptr;
  ASSERT_EQ(skald_engine_new(model.get(), &options, &made, &error), SKALD_OK) << error.message;
  engine.reset(made);
  const skald_choice on_device = generate(r);
  ASSERT_EQ(on_device.n_tokens, want.size());
  EXPECT_NEAR(on_device.log_probs[0], want[0], 0.05);
}

TEST_F(C, SeveralTextsDrawFromSeedsOfTheirOwn) {
  skald_request r = request(12);
  r.sampling.temperature = 1.5f;
  r.sampling.seed = 7;
  r.n = 2;
  const std::string first = text_of(generate(r));
  EXPECT_EQ(skald_result_seed(result.get()), 7);
  EXPECT_EQ(skald_result_n_choices(result.get()), 2);
  const std::string second = text_of(generate(r, 1));
  r.n = 1;
  r.sampling.seed = 8;
  EXPECT_EQ(text_of(generate(r)), second);
  EXPECT_NE(first, second);
}

TEST_F(C, SearchesForLikelyTextsAndDrawsTheBestOfSeveral) {
  skald_request r = request(6);
  r.beams = 4;
  r.n = 2;
  r.length_penalty = 0.5f;
  const skald_choice first = generate(r);
  EXPECT_NEAR(first.score, first.log_prob / std::sqrt(6), 1e-9);
  EXPECT_LT(first.log_prob, 0);
  EXPECT_EQ(skald_result_n_choices(result.get()), 2);
  const double best = first.score;
  EXPECT_LE(generate(r, 1).score, best);
  r.beams = 0;
  r.n = 1;
  r.best_of = 3;
  r.sampling.temperature = 1;
  const skald_choice drawn = generate(r);
  EXPECT_NEAR(drawn.score, drawn.log_prob / 6, 1e-9);
  EXPECT_EQ(skald_result_timing(result.get()).n_generated, 18);
}

TEST_F(C, JobsAreCancelledAndWaitedForOnce) {
  skald_request r = request(-1);
  skald_job* job = nullptr;
  ASSERT_EQ(skald_submit(engine.get(), &r, &job, &error), SKALD_OK) << error.message;
  const Owned<skald_job, skald_job_free> owned(job);
  skald_job_cancel(job);
  skald_result* out = nullptr;
  ASSERT_EQ(skald_job_wait(job, &out, &error), SKALD_OK) << error.message;
  result.reset(out);
  EXPECT_TRUE(skald_job_done(job));
  skald_choice choice{};
  skald_result_choice(out, 0, &choice, nullptr);
  EXPECT_EQ(choice.finish, SKALD_FINISH_CANCELLED);
  EXPECT_EQ(skald_job_wait(job, &out, &error), SKALD_BAD_INPUT);
}

TEST_F(C, FreeingAJobThatRunsEndsIt) {
  skald_request r = request(-1);
  skald_job* job = nullptr;
  ASSERT_EQ(skald_submit(engine.get(), &r, &job, &error), SKALD_OK) << error.message;
  skald_job_free(job);
}

TEST_F(C, ErrorsHaveACodeAndSayWhatIsWrong) {
  skald_model* none = nullptr;
  EXPECT_EQ(skald_model_load("/no/such/model.gguf", nullptr, &none, &error), SKALD_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("/no/such/model.gguf"));
  EXPECT_EQ(error.status, SKALD_NOT_FOUND);
  EXPECT_EQ(skald_model_load(nullptr, nullptr, &none, nullptr), SKALD_BAD_INPUT);

  skald_engine_options options = skald_engine_defaults();
  options.type_k = "q9_9";
  skald_engine* no_engine = nullptr;
  EXPECT_EQ(skald_engine_new(model.get(), &options, &no_engine, &error), SKALD_BAD_INPUT);
  EXPECT_THAT(error.message, HasSubstr("cache.type_k"));
  options = skald_engine_defaults();
  options.device = "toaster";
  EXPECT_EQ(skald_engine_new(model.get(), &options, &no_engine, &error), SKALD_BAD_INPUT);
  EXPECT_THAT(error.message, HasSubstr("toaster"));
  options.device = "simt";
  options.gpu_layers = "some";
  EXPECT_EQ(skald_engine_new(model.get(), &options, &no_engine, &error), SKALD_BAD_INPUT);
  EXPECT_THAT(error.message, HasSubstr("device.gpu_layers"));

  skald_request r = request(5);
  r.n_prompt = 0;
  skald_result* no_result = nullptr;
  EXPECT_EQ(skald_generate(engine.get(), &r, &no_result, &error), SKALD_BAD_INPUT);
  r = request(5);
  r.grammar = SKALD_JSON_SCHEMA;
  r.grammar_text = "{\"minimum\": []}";
  EXPECT_NE(skald_generate(engine.get(), &r, &no_result, &error), SKALD_OK);
  EXPECT_THAT(error.message, HasSubstr("minimum"));
  r = request(5);
  r.stop = nullptr;
  r.n_stop = 1;
  EXPECT_EQ(skald_generate(engine.get(), &r, &no_result, &error), SKALD_BAD_INPUT);
  EXPECT_THAT(error.message, HasSubstr("stop"));
}

TEST_F(C, LongMessagesAreCutBetweenCharacters) {
  const std::string path =
      "/" + std::string(1000, 'x') + "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
  skald_model* none = nullptr;
  EXPECT_NE(skald_model_load(path.c_str(), nullptr, &none, &error), SKALD_OK);
  const std::string_view message = error.message;
  EXPECT_GT(message.size(), sizeof error.message - 4);
  EXPECT_NE(message.back(), '\xc3');
}

TEST_F(C, TokensGoThereAndBack) {
  skald_tokens tokens{};
  ASSERT_EQ(skald_tokenize(model.get(), "The cat sat.", nullptr, &tokens, &error), SKALD_OK) << error.message;
  skald_text text{};
  ASSERT_EQ(skald_detokenize(model.get(), tokens.ids, tokens.size, false, &text, &error), SKALD_OK) << error.message;
  EXPECT_THAT(text.bytes, StrEq("The cat sat."));
  EXPECT_EQ(text.size, std::strlen("The cat sat."));
  skald_text_free(&text);
  skald_tokens_free(&tokens);
  EXPECT_EQ(tokens.ids, nullptr);

  skald_token eos = -1;
  ASSERT_EQ(skald_token_special(model.get(), SKALD_EOS, &eos, &error), SKALD_OK);
  skald_token_info info{};
  ASSERT_EQ(skald_token_look_up(model.get(), eos, &info, &error), SKALD_OK);
  EXPECT_EQ(info.kind, SKALD_TOKEN_CONTROL);
  EXPECT_TRUE(info.ends_text);
  const std::string name(info.bytes, info.size);
  skald_token found = -1;
  ASSERT_EQ(skald_token_find(model.get(), name.c_str(), &found, &error), SKALD_OK);
  EXPECT_EQ(found, eos);
  const skald_encode_options bare = {.add_special = false, .parse_special = true};
  for (const bool trusted : {true, false}) {
    const skald_text_piece piece = {.text = name.data(), .size = name.size(), .trusted = trusted};
    ASSERT_EQ(skald_tokenize_pieces(model.get(), &piece, 1, &bare, &tokens, &error), SKALD_OK) << error.message;
    EXPECT_EQ(std::find(tokens.ids, tokens.ids + tokens.size, eos) != tokens.ids + tokens.size, trusted);
    skald_tokens_free(&tokens);
  }
  EXPECT_EQ(skald_token_look_up(model.get(), -1, &info, &error), SKALD_BAD_INPUT);
  EXPECT_EQ(skald_token_special(model.get(), static_cast<skald_special>(99), &eos, &error), SKALD_BAD_INPUT);
}

TEST_F(C, ChatsBecomePromptsAndRepliesMessages) {
  skald_chat* chat = nullptr;
  const char* const source =
      "{{ messages[0].content }}{% if add_generation_prompt %}<think>{% endif %}{% if tools %}{{ tools }}{% endif %}"
      "{# <tool_call> {\"name\": ...} </tool_call> #}";
  ASSERT_EQ(skald_chat_new(model.get(), source, &chat, &error), SKALD_OK) << error.message;
  const Owned<skald_chat, skald_chat_free> owned_chat(chat);
  skald_prompt* made = nullptr;
  ASSERT_EQ(skald_chat_prompt(chat, R"([{"role": "user", "content": "Hi"}])", &made, &error), SKALD_OK) << error.message;
  const Owned<skald_prompt, skald_prompt_free> owned_prompt(made);
  size_t size = 0;
  EXPECT_THAT(skald_prompt_text(made, &size), StrEq("Hi<think>"));
  EXPECT_EQ(size, 9);
  const skald_token* ids = skald_prompt_tokens(made, &size);
  EXPECT_EQ(test::story_model().detokenize({ids, size}), "Hi<think>");

  std::string heard;
  skald_reply* reply = nullptr;
  const auto hear = [](const skald_delta* delta, void* user) {
    auto& to = *static_cast<std::string*>(user);
    if (delta->kind == SKALD_DELTA_CALL)
      to += std::string(delta->name) + delta->arguments;
    else
      to.append(delta->text, delta->text_size);
  };
  ASSERT_EQ(skald_reply_new(chat, made, hear, &heard, &reply, &error), SKALD_OK) << error.message;
  const Owned<skald_reply, skald_reply_free> owned_reply(reply);
  const std::string text = "hm</think>Yes.<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1}}</tool_call>";
  ASSERT_EQ(skald_reply_push(reply, text.data(), text.size(), &error), SKALD_OK) << error.message;
  ASSERT_EQ(skald_reply_finish(reply, false, &error), SKALD_OK) << error.message;
  EXPECT_EQ(heard, "hmYes.f{\"a\": 1}");
  skald_text json{};
  ASSERT_EQ(skald_reply_message(reply, &json, &error), SKALD_OK) << error.message;
  EXPECT_THAT(json.bytes,
              StrEq(R"({"role":"assistant","content":"Yes.","reasoning_content":"hm","tool_calls":[{"type":"function",)"
                    R"("function":{"name":"f","arguments":"{\"a\": 1}"}}]})"));
  skald_text_free(&json);
  skald_prompt* other = nullptr;
  EXPECT_EQ(skald_chat_prompt(chat, "no JSON", &other, &error), SKALD_BAD_INPUT);

  skald_request r = request(60);
  r.grammar = SKALD_REGEX;
  r.grammar_text = "[ab]{2}";
  r.chat = chat;
  EXPECT_EQ(skald_submit(engine.get(), &r, nullptr, &error), SKALD_BAD_INPUT);
  skald_result* none = nullptr;
  EXPECT_EQ(skald_generate(engine.get(), &r, &none, &error), SKALD_BAD_INPUT);
  EXPECT_THAT(error.message, HasSubstr("reply_to"));
}

TEST_F(C, GivesVectorsAndScores) {
  const std::string path = (test::data_dir() / "encoders/xlmrrank/model.gguf").string();
  skald_model* file = nullptr;
  ASSERT_EQ(skald_model_load(path.c_str(), nullptr, &file, &error), SKALD_OK) << error.message;
  const Owned<skald_model, skald_model_free> owned_file(file);
  skald_embedder_options options = skald_embedder_defaults();
  skald_embedder* embedder = nullptr;
  const char* const texts[] = {"the text", "reads"};
  {
    options.pooling = SKALD_POOLING_MEAN;
    ASSERT_EQ(skald_embedder_new(file, &options, &embedder, &error), SKALD_OK) << error.message;
    const Owned<skald_embedder, skald_embedder_free> owned(embedder);
    ASSERT_EQ(skald_embedder_width(embedder), 32);
    std::vector<float> got(2 * 32);
    ASSERT_EQ(skald_embed(embedder, texts, 2, true, false, got.data(), &error), SKALD_OK) << error.message;
    Embedder same(Model::load(path), {.pooling = Pooling::kMean});
    const std::vector<EmbedInput> inputs = {same.input(texts[0]), same.input(texts[1])};
    EXPECT_EQ(got, same.embed(inputs));
    EXPECT_EQ(skald_embed(embedder, texts, 2, true, false, nullptr, &error), SKALD_BAD_INPUT);
    EXPECT_THAT(error.message, HasSubstr("vectors: NULL"));
    float score = 0;
    EXPECT_EQ(skald_rank(embedder, "engine", texts, 1, false, &score, &error), SKALD_UNSUPPORTED);
  }
  ASSERT_EQ(skald_embedder_new(file, nullptr, &embedder, &error), SKALD_OK) << error.message;
  const Owned<skald_embedder, skald_embedder_free> owned(embedder);
  std::vector<float> scores(2);
  ASSERT_EQ(skald_rank(embedder, "engine", texts, 2, false, scores.data(), &error), SKALD_OK) << error.message;
  const std::vector<std::string_view> documents = {texts[0], texts[1]};
  EXPECT_EQ(scores, Embedder(Model::load(path)).rank("engine", documents));
  options.pooling = static_cast<skald_pooling>(9);
  EXPECT_EQ(skald_embedder_new(file, &options, &embedder, &error), SKALD_BAD_INPUT);
  EXPECT_EQ(skald_embedder_new(model.get(), nullptr, nullptr, &error), SKALD_BAD_INPUT);
}

TEST_F(C, DefaultsAreThoseOfTheLibrary) {
  const skald_sampling s = skald_sampling_defaults(nullptr);
  const SamplingParams want;
  EXPECT_EQ(s.temperature, want.temperature);
  EXPECT_EQ(s.top_k, want.top_k);
  EXPECT_EQ(s.dry_base, want.dry_base);
  EXPECT_EQ(s.seed, SamplingParams::kRandomSeed);
  EXPECT_EQ(skald_engine_n_ctx(engine.get()), Engine(test::story_model()).n_ctx());
  EXPECT_THAT(skald_version(), StrEq(build_info().version));
  EXPECT_THAT(skald_model_name(model.get()), StrEq(test::story_model().name()));
  EXPECT_EQ(skald_model_n_vocab(model.get()), test::story_model().n_vocab());
}

}  // namespace
}  // namespace skald::c_test
