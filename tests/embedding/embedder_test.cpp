// Embedder: vectors and scores of texts, alone and among others, and rejected ones.
#include "skald/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "loading/loaded_model.h"
#include "skald/engine.h"
#include "tests/models/edited_golden.h"
#include "tests/models/encoder_golden.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"

namespace skald::embedder_test {
namespace {

using test::EncoderGolden;
using testing::HasSubstr;

EmbedderOptions threads(int64_t together = 64, int64_t rows = 2048) {
  return {.device = {.n_threads = 2}, .schedule = {.n_parallel = together, .n_ubatch = rows}};
}

class EncoderFiles : public testing::TestWithParam<std::string> {};

TEST_P(EncoderFiles, GiveTheReferencesVectors) {
  const EncoderGolden golden(GetParam());
  Embedder embedder(golden.load(), threads());
  const EmbedInput text = embedder.input(golden.text);
  EXPECT_EQ(text.tokens, golden.text_ids);
  const std::vector<EmbedInput> inputs = {{golden.prompt_ids}, {golden.long_ids}, text};
  std::vector<float> want;
  for (const auto* vector : {&golden.embedding, &golden.long_embedding, &golden.text_embedding})
    want.insert(want.end(), vector->begin(), vector->end());
  EXPECT_TRUE(test::close_to(embedder.embed(inputs), want, 2e-4));
}

TEST_P(EncoderFiles, ReadATextAsIfItWereAlone) {
  const EncoderGolden golden(GetParam());
  const Model model = golden.load();
  Embedder together(model, threads(7, 150)), alone(model, threads(1));
  std::vector<EmbedInput> inputs;
  std::vector<float> want;
  for (size_t i = 0; i < 20; ++i) {
    const auto from = golden.long_ids.begin() + static_cast<std::ptrdiff_t>(i * 3);
    inputs.push_back({.tokens = {from, from + static_cast<std::ptrdiff_t>(1 + i * i % 67)}});
    const std::vector<float> vector = alone.embed({&inputs.back(), 1});
    want.insert(want.end(), vector.begin(), vector.end());
  }
  inputs.push_back({golden.long_ids});  // longer than a step
  const std::vector<float> last = alone.embed({&inputs.back(), 1});
  want.insert(want.end(), last.begin(), last.end());
  EXPECT_EQ(together.embed(inputs), want);
}

INSTANTIATE_TEST_SUITE_P(All, EncoderFiles, testing::ValuesIn(test::kEncoders), [](const auto& info) { return info.param; });

TEST(Embedder, PoolsAsTheFileOrTheCallerSays) {
  EXPECT_EQ(Embedder(EncoderGolden("modernbert").load()).pooling(), Pooling::kCls);
  EXPECT_EQ(Embedder(EncoderGolden("t5enc").load()).pooling(), Pooling::kMean);
  const Model ranks = EncoderGolden("xlmrrank").load();
  EXPECT_EQ(Embedder(ranks).pooling(), Pooling::kRank);
  EXPECT_EQ(Embedder(ranks).width(), 1);
  EXPECT_EQ(Embedder(ranks, {.pooling = Pooling::kLast}).width(), 32);
  const Error e = test::error_of([] { Embedder(EncoderGolden("t5enc").load(), {.pooling = Pooling::kRank}); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("no classifier (tensor cls.output.weight)"));
}

TEST(Embedder, NormalisesUnlessToldOtherwise) {
  const EncoderGolden golden("t5enc");
  Embedder embedder(golden.load(), threads());
  const EmbedInput input{golden.prompt_ids};
  std::vector<float> raw = embedder.embed({&input, 1}, false), mean(32);
  const test::Matrix states = golden.states();
  for (int64_t r = 0; r < states.rows; ++r)
    for (size_t c = 0; c < 32; ++c) mean[c] += states.row(r)[c] / static_cast<float>(states.rows);
  EXPECT_TRUE(test::close_to(raw, mean, 1e-4));
  EXPECT_FALSE(test::close_to(raw, golden.embedding, 1e-2));
}

TEST(Embedder, NamesTheInputThatItRefuses) {
  const EncoderGolden golden("nomicbert");
  Embedder embedder(golden.load(), {.cache = {.n_ctx = 10}});
  const auto refusal = [&](EmbedInput second) {
    const std::vector<EmbedInput> inputs = {{{2, 5, 3}}, std::move(second)};
    const Error e = test::error_of([&] { embedder.embed(inputs); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    return std::string(e.what());
  };
  EXPECT_EQ(refusal({}), "input 2: no tokens");
  EXPECT_EQ(refusal({golden.long_ids}), "input 2: 200 tokens; the context has 10");
  EXPECT_THAT(refusal({{2, 4000, 3}}), HasSubstr("input 2: "));
  EXPECT_EQ(embedder.input("the engine reads the text and the text", true).tokens.size(), 10u);
  EXPECT_GT(embedder.input("the engine reads the text and the text").tokens.size(), 10u);
  EXPECT_EQ(embedder.embed({}).size(), 0u);
}

// Sentence-transformers' changes to texts, by a file's keys.
struct SentenceFile : test::EditedGolden {
  SentenceFile() : EditedGolden("nomicbert", "encoders") {}
  template <class T>
  Model with(const char* key, T value) {
    meta.set(std::string("sentence_transformers.") + key, value);
    return Model(load());
  }
};

TEST(Embedder, PutsTheFilesPromptBeforeEachText) {
  const Model plain = EncoderGolden("nomicbert").load(), model = SentenceFile().with("prompt", std::string("the text "));
  EXPECT_EQ(Embedder(model).input("the engine").tokens, Embedder(plain).input("the text the engine").tokens);
  EXPECT_EQ(Embedder(model).input("[SEP]").tokens, Embedder(plain).input("the text [SEP]").tokens) << "which is text";
}

TEST(Embedder, LowersTextsWhereTheFileSaysSo) {
  const Model plain = EncoderGolden("nomicbert").load(), model = SentenceFile().with("do_lower_case", true);
  EXPECT_EQ(Embedder(model).input("The ENGINE").tokens, Embedder(plain).input("the engine").tokens);
}

TEST(Embedder, ReadsAsManyTokensAsTheFileSays) {
  const Model model = SentenceFile().with("max_seq_length", uint32_t{6});
  const std::string text = "the engine reads the text and the text";
  Embedder embedder(model);
  EXPECT_EQ(embedder.n_ctx(), 6);
  EXPECT_EQ(embedder.input(text, true).tokens.size(), 6u);
  const EmbedInput whole = embedder.input(text);
  EXPECT_THAT(test::error_of([&] { embedder.embed({&whole, 1}); }).what(), HasSubstr("the context has 6"));
  EXPECT_EQ(Embedder(model, {.cache = {.n_ctx = 50}}).n_ctx(), 50) << "the caller decides";
  EXPECT_EQ(test::error_of([] { SentenceFile().with("max_seq_length", int32_t{-1}); }).code(), Errc::kBadFile);
}

TEST(Embedder, RefusesOptionsWithoutMeaning) {
  EmbedderOptions options;
  options.schedule.context_shift = true;
  EXPECT_THAT(test::error_of([&] { options.check(); }).what(), HasSubstr("schedule.context_shift"));
  options = {};
  options.cache.sparq.k1 = options.cache.sparq.k2 = 8;
  EXPECT_THAT(test::error_of([&] { options.check(); }).what(), HasSubstr("cache.sparq"));
}

TEST(Embedder, GivesTheSecondTextOfAPairAnotherType) {
  test::EditedGolden file("nomicbert", "encoders");
  const Model two_types(file.load());
  auto& types = file.tensors.at("token_types.weight").data;
  std::copy_n(types.begin() + static_cast<std::ptrdiff_t>(types.size() / 2), types.size() / 2, types.begin());
  const Model second_type_only(file.load());
  Embedder two(two_types, threads()), second(second_type_only, threads());
  EmbedInput pair = two.pair("the engine", "the text");
  ASSERT_GT(pair.second, 0);
  const std::vector<float> typed = two.embed({&pair, 1});
  pair.second = 0;
  EXPECT_EQ(two.embed({&pair, 1}), second.embed({&pair, 1})) << "all tokens are of the second text";
  EXPECT_NE(two.embed({&pair, 1}), typed);
  pair.second = -1;
  EXPECT_NE(two.embed({&pair, 1}), typed);
}

TEST(Embedder, RanksByTheClassifier) {
  const EncoderGolden golden("xlmrrank");
  Embedder embedder(golden.load(), threads());
  EXPECT_TRUE(embedder.ranks());
  const std::vector<std::string_view> documents = {"reads", "the text", "engine"};
  const std::vector<float> scores = embedder.rank("the engine", documents);
  for (size_t i = 0; i < documents.size(); ++i) {
    const EmbedInput pair = embedder.pair("the engine", documents[i]);
    EXPECT_EQ(embedder.embed({&pair, 1})[0], scores[i]);
  }
  const EmbedQuery query = embedder.query("the engine");
  std::vector<EmbedInput> pairs;
  for (const std::string_view document : documents) {
    pairs.push_back(Embedder::pair(query, embedder.document(query, document)));
    EXPECT_EQ(pairs.back().tokens, embedder.pair("the engine", document).tokens);
  }
  EXPECT_EQ(embedder.rank(pairs), scores);
  Embedder vectors(golden.load(), {.pooling = Pooling::kMean});
  EXPECT_FALSE(vectors.ranks());
  EXPECT_EQ(test::error_of([&] { vectors.rank("a", documents); }).code(), Errc::kUnsupported);
}

TEST(Embedder, RanksWhatTakesManySteps) {
  Embedder embedder(EncoderGolden("xlmrrank").load(), threads(/*together=*/3, /*rows=*/20));
  const std::vector<std::string_view> documents = {"reads", "the text the text the text", "engine", "reads the text", "a"};
  const std::vector<float> scores = embedder.rank("the engine", documents);
  ASSERT_EQ(scores.size(), documents.size());
  for (size_t i = 0; i < documents.size(); ++i) EXPECT_EQ(embedder.rank("the engine", {&documents[i], 1})[0], scores[i]);
  const std::string long_one = [] {
    std::string out;
    for (int i = 0; i < 300; ++i) out += "text ";
    return out;
  }();
  const std::vector<std::string_view> wrong = {"a", "b", "c", "d", long_one};
  EXPECT_THAT(test::error_of([&] { embedder.rank("the engine", wrong); }).what(), HasSubstr("input 5: "));
}

TEST(Embedder, TellsHowManyTextsAreReadInAStep) {
  const Embedder embedder(EncoderGolden("nomicbert").load(), threads(/*together=*/3, /*rows=*/10));
  const auto of = [&](const std::vector<size_t>& lengths) {
    std::vector<EmbedInput> inputs;
    for (const size_t length : lengths) inputs.push_back({std::vector<TokenId>(length, 5)});
    return embedder.of_a_step(inputs);
  };
  EXPECT_EQ(of({}), 0u);
  EXPECT_EQ(of({4, 6, 1}), 2u);
  EXPECT_EQ(of({1, 1, 1, 1}), 3u);
  EXPECT_EQ(of({50, 1}), 1u);
}

TEST(Embedder, RanksByTheShareOfYes) {
  test::EditedGolden file("xlmrrank", "encoders");
  auto& weight = file.tensors.at("cls.output.weight");
  auto& bias = file.tensors.at("cls.output.bias");
  for (auto* t : {&weight, &bias}) {
    const std::vector<std::byte> zeros(t->data.size());
    t->data.insert(t->data.end(), zeros.begin(), zeros.end());
    t->shape = t == &bias ? Shape{2} : Shape{2, t->shape[1]};
  }
  const std::vector<std::string_view> documents = {"reads"};
  const float raw = Embedder(EncoderGolden("xlmrrank").load()).rank("the engine", documents)[0];
  Embedder other(Model(file.load()));
  EXPECT_FALSE(other.ranks());
  EXPECT_THAT(test::error_of([&] { other.rank("a", documents); }).what(), HasSubstr("its classifier has 2 outputs"));
  file.set("classifier.output_labels", MetaArray{std::vector<std::string>{"yes", "no"}});
  EXPECT_NEAR(Embedder(Model(file.load())).rank("the engine", documents)[0], 1 / (1 + std::exp(-raw)), 1e-6);
  file.set("classifier.output_labels", MetaArray{std::vector<std::string>{"no", "yes"}});
  EXPECT_NEAR(Embedder(Model(file.load())).rank("the engine", documents)[0], 1 / (1 + std::exp(raw)), 1e-6);
}

// In dense layers after the pooled states, where a file has them: here, the first one doubles and the second swaps halves.
TEST(Embedder, AppliesDenseLayers) {
  test::EditedGolden file("t5enc", "encoders");
  const EncoderGolden golden("t5enc");
  std::vector<float> twice(32 * 32), swapped(32 * 32);
  for (size_t i = 0; i < 32; ++i) {
    twice[i * 32 + i] = 2;
    swapped[i * 32 + (i + 16) % 32] = 1;
  }
  const auto tensor = [](const std::vector<float>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return test::EditedGolden::Tensor{Shape{32, 32}, format_f32.id, {bytes.begin(), bytes.end()}};
  };
  file.tensors["dense_2.weight"] = tensor(twice);
  file.tensors["dense_3.weight"] = tensor(swapped);
  const EmbedInput input{golden.prompt_ids};
  std::vector<float> want = Embedder(golden.load()).embed({&input, 1}, false);
  std::rotate(want.begin(), want.begin() + 16, want.end());
  for (float& v : want) v *= 2;
  EXPECT_TRUE(test::close_to(Embedder(Model(file.load())).embed({&input, 1}, false), want, 1e-5));
}

TEST(Embedder, ReadsDecodersInPieces) {
  const Model model = Model::load((test::data_dir() / "golden/qwen3/model.gguf").string());
  std::vector<TokenId> ids;
  for (TokenId id = 5; id < 150; ++id) ids.push_back(id);
  const std::vector<EmbedInput> inputs = {{{ids.begin(), ids.begin() + 9}}, {ids}, {{ids.begin() + 20, ids.begin() + 29}}};
  for (const Pooling pooling : {Pooling::kMean, Pooling::kLast, Pooling::kCls}) {
    EmbedderOptions whole = threads(), pieces = threads(2, 16);
    whole.pooling = pieces.pooling = pooling;
    EXPECT_TRUE(test::close_to(Embedder(model, pieces).embed(inputs), Embedder(model, whole).embed(inputs), 1e-4));
  }
  Embedder embedder(model, threads(2, 16));
  EXPECT_EQ(embedder.states({ids}).size(), ids.size() * static_cast<size_t>(embedder.d_states()));
}

TEST(Embedder, AndAnEngineShareAModel) {
  const Model model = Model::load((test::data_dir() / "golden/qwen3/model.gguf").string());
  const Request request{.prompt = {1, 2, 3}, .max_tokens = 5, .sampling = {.temperature = 0}, .on_event = {}};
  const std::vector<TokenId> want = Engine(model).generate(request).tokens;
  const Model other = Model::load((test::data_dir() / "golden/qwen3/model.gguf").string());
  Embedder embedder(other);
  EXPECT_EQ(Engine(other).generate(request).tokens, want);
}

TEST(Encoders, WriteNoTexts) {
  const Model model = EncoderGolden("nomicbert").load();
  EXPECT_FALSE(model.loaded()->causal());
  EXPECT_EQ(model.n_vocab(), 320);
  const Error e = test::error_of([&] { Engine engine(model); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("no causal attention"));
}

TEST(Encoders, MayNotSayThatTheyAreCausal) {
  test::EditedGolden file("nomicbert", "encoders");
  file.meta.set("nomic-bert.attention.causal", true);
  EXPECT_THAT(test::error_of([&] { file.load(); }).what(), HasSubstr("nomic-bert.attention.causal"));
}

// The files of some embedding models are those of decoders that say so.
TEST(Decoders, AreReadInBothDirectionsWhereTheirFilesSaySo) {
  test::EditedGolden file("qwen3");
  file.set("attention.causal", false);
  const Model model(file.load());
  EXPECT_FALSE(model.loaded()->causal());
  EXPECT_THROW(Engine engine(model), Error);
  Embedder both(model, {.pooling = Pooling::kCls}),
      one(Model::load((test::data_dir() / "golden/qwen3/model.gguf").string()), {.pooling = Pooling::kCls});
  const EmbedInput input{{5, 6, 7, 8}};
  EXPECT_FALSE(test::close_to(both.embed({&input, 1}), one.embed({&input, 1}), 1e-2)) << "the first token sees the others";
}

}  // namespace
}  // namespace skald::embedder_test
