// Beam searches on whole models: end tokens, grammars, texts that something else ends, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/engine/beams/reference_search.h"
#include "tests/engine/requests.h"
#include "tests/models/golden.h"
#include "tests/support/errors.h"

namespace skald::model_beams_test {
namespace {

using test::FoundText;
using test::story;
using test::story_model;
using ::testing::HasSubstr;
using Tokens = std::vector<TokenId>;

constexpr double kRounding = 1e-3;  // prompts and generated rows sum up in different orders

EngineOptions options(int64_t n_parallel = 4) {
  return {.device = {.n_threads = 2},
          .cache = {.n_ctx = 256, .type_k = "f32", .type_v = "f32", .share_prefixes = true},
          .schedule = {.n_parallel = n_parallel}};
}

std::vector<Choice> texts_of(const Result& result) {
  std::vector<Choice> out{result};
  out.insert(out.end(), result.others.begin(), result.others.end());
  return out;
}

Tokens ids_of(const Choice& text) {
  Tokens out = text.tokens;
  if (text.end_token >= 0) out.push_back(text.end_token);
  return out;
}

/// All log-probabilities after a text, each text as a prompt of its own.
test::LogProbsAfter asks(Engine& engine, const Request& request, int64_t n_vocab) {
  return [&engine, prompt = request.prompt, n_vocab](const Tokens& ids) {
    Request one{.prompt = prompt, .max_tokens = 1, .ignore_eos = true, .sampling = {.temperature = 0}, .on_event = {}};
    one.prompt.insert(one.prompt.end(), ids.begin(), ids.end());
    one.top_log_probs = static_cast<int>(std::min<int64_t>(n_vocab, Request::kMostTopLogProbs));
    std::vector<double> out(static_cast<size_t>(n_vocab), -std::numeric_limits<double>::infinity());
    const Result said = engine.generate(one);
    for (const TokenLogProb& p : said.top_log_probs.at(0)) out[static_cast<size_t>(p.token)] = p.log_prob;
    return out;
  };
}

void expect_found(const Result& got, const std::vector<FoundText>& want) {
  EXPECT_EQ(got.error, "");
  const std::vector<Choice> texts = texts_of(got);
  ASSERT_EQ(texts.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(ids_of(texts[i]), want[i].ids) << "text " << i;
    EXPECT_NEAR(texts[i].log_prob, want[i].log_prob, kRounding) << "text " << i;
    EXPECT_NEAR(texts[i].score, want[i].score, kRounding) << "text " << i;
    EXPECT_EQ(texts[i].finish, want[i].finish) << "text " << i;
  }
}

Request beams(const char* prompt, int n, int max_tokens) {
  Request r = story(prompt, max_tokens);
  r.ignore_eos = false;
  r.beams = r.n = n;
  return r;
}

// The story model with a likely word as its end token: texts end early, some of them on the way.
TEST(ModelBeams, EndWithTokensOfTheEnd) {
  for (const char* const word : {" there", " was", ","}) {
    const TokenId end = story_model().tokenize(word, {.add_special = false}).at(0);
    const Model model = Model::embedded({.override_kv = {fmt::format("tokenizer.ggml.eos_token_id=int:{}", end)}});
    Engine engine(model, options());
    for (const int n : {1, 2, 4})
      for (const float penalty : {0.0f, 1.0f, 2.0f}) {
        Request r = beams("Once upon a time", n, 7);
        r.length_penalty = penalty;
        expect_found(engine.generate(r), test::search({n, penalty, 7, {end}}, asks(engine, r, model.n_vocab())));
      }
  }
}

// Models whose cache has windows or states give the same texts from few slots and pages as from many.
TEST(ModelBeams, DoNotDependOnSlots) {
  for (const char* const name : {"gemma3", "qwen35", "lfm2"}) {
    const test::Golden golden(test::data_dir() / "golden" / name);
    const Model model(golden.load());
    Request r{.prompt = {golden.long_ids.begin(), golden.long_ids.begin() + 20},
              .max_tokens = 12,
              .n = 4,
              .beams = 4,
              .sampling = {},
              .on_event = {}};
    Engine many(model, options(4));
    const std::vector<Choice> want = texts_of(many.generate(r));
    for (const int64_t slots : {1, 2}) {
      EngineOptions o = options(slots);
      o.cache.share_prefixes = false;
      o.cache.n_ctx = o.cache.total_keys = 64;
      Engine few(model, o);
      const std::vector<Choice> got = texts_of(few.generate(r));
      EXPECT_GT(few.status().preemptions, 0) << name;
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].tokens, want[i].tokens) << name;
        EXPECT_EQ(got[i].log_prob, want[i].log_prob) << name;
      }
    }
  }
}

TEST(ModelBeams, DoNotDependOnNeighbours) {
  Engine engine(story_model(), options(8));
  const Request r = beams("Once upon a time", 3, 40);
  const Result alone = engine.generate(r);
  std::vector<Submission> others;
  for (const char* const prompt : {"The dog", "A big bear", "Once upon a time there"})
    others.push_back(engine.submit(story(prompt, 60)));
  others.push_back(engine.submit(beams("The cat sat", 4, 30)));
  const Result beside = engine.generate(r);
  for (Submission& other : others) EXPECT_EQ(other.result.get().error, "");
  ASSERT_EQ(beside.others.size(), alone.others.size());
  EXPECT_EQ(beside.tokens, alone.tokens);
  EXPECT_EQ(beside.log_prob, alone.log_prob);
  EXPECT_EQ(beside.others[1].tokens, alone.others[1].tokens);
}

/// All ways to spell a text in tokens.
std::vector<Tokens> spellings(std::string_view text) {
  if (text.empty()) return {{}};
  std::vector<Tokens> out;
  for (TokenId id = 3; id < story_model().n_vocab(); ++id) {
    const std::string piece = story_model().detokenize({{id}});
    if (piece.empty() || !text.starts_with(piece)) continue;
    for (Tokens& rest : spellings(text.substr(piece.size()))) {
      rest.insert(rest.begin(), id);
      out.push_back(std::move(rest));
    }
  }
  return out;
}

// With more beams than there are beginnings of sentences, the search leaves none out.
TEST(ModelBeams, FindTheLikeliestSentenceOfAGrammar) {
  Engine engine(story_model(), options(8));
  Request r = beams("Once upon a time there was a", 64, 12);
  r.n = 3;
  r.length_penalty = 0;
  r.grammar = {.kind = GrammarParams::Kind::kGbnf, .text = R"(root ::= " dog" | " little cat" | " bear")"};
  std::vector<std::pair<double, Tokens>> want;
  for (const char* const sentence : {" dog", " little cat", " bear"})
    for (const Tokens& ids : spellings(sentence)) {
      Request said{.prompt = r.prompt, .max_tokens = 0, .prompt_log_probs = true, .sampling = {}, .on_event = {}};
      said.prompt.insert(said.prompt.end(), ids.begin(), ids.end());
      const std::vector<double> all = engine.generate(said).prompt_log_probs;
      double sum = 0;
      for (size_t i = all.size() - ids.size(); i < all.size(); ++i) sum += all[i];
      want.emplace_back(sum, ids);
    }
  std::ranges::sort(want, std::greater<>());
  ASSERT_GT(want.size(), 10u);
  const std::vector<Choice> got = texts_of(engine.generate(r));
  ASSERT_EQ(got.size(), 3u);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].tokens, want[i].second) << i;
    EXPECT_NEAR(got[i].log_prob, want[i].first, kRounding) << i;
    EXPECT_EQ(got[i].finish, FinishReason::kEnd) << i;
    EXPECT_EQ(got[i].end_token, -1) << i;
  }
}

TEST(ModelBeams, AreSentencesOfTheirGrammar) {
  Engine engine(story_model(), options());
  Request r = beams("Once upon a time", 4, 30);
  r.grammar = {.kind = GrammarParams::Kind::kRegex, .text = "( [a-z]+){3}\\."};
  for (const Choice& text : texts_of(engine.generate(r))) {
    if (text.finish != FinishReason::kEnd) continue;
    EXPECT_EQ(std::ranges::count(text.text, ' '), 3) << text.text;
    EXPECT_TRUE(text.text.ends_with('.')) << text.text;
  }
}

// A grammar may have fewer texts than are asked for.
TEST(ModelBeams, AreAsManyAsThereAre) {
  Engine engine(story_model(), options());
  Request r = beams("Once upon a time", 4, 10);
  r.grammar = {.kind = GrammarParams::Kind::kGbnf, .text = "root ::= \"a\""};
  const Result got = engine.generate(r);
  EXPECT_EQ(got.text, "a");
  EXPECT_LT(got.others.size(), 3u);
}

TEST(ModelBeams, EndBeforeStopTexts) {
  Engine engine(story_model(), options());
  Request r = beams("Once upon a time", 4, 20);
  r.stop = {" was"};
  const std::vector<Choice> texts = texts_of(engine.generate(r));
  EXPECT_GT(std::ranges::count(texts, FinishReason::kStop, &Choice::finish), 0);
  for (const Choice& text : texts) {
    EXPECT_EQ(text.text.find(" was"), std::string::npos) << text.text;
    EXPECT_EQ(text.stop_text, text.finish == FinishReason::kStop ? " was" : "");
  }
}

TEST(ModelBeams, EndAtLinesWithTooFewBlanks) {
  Engine engine(story_model(), options());
  Request r = beams("One two.\n", 2, 200);
  r.min_indent = 4;
  for (const Choice& text : texts_of(engine.generate(r))) {
    const size_t line = text.text.find('\n');
    EXPECT_TRUE(line == std::string::npos || line + 1 == text.text.size() || text.text[line + 1] == ' ') << text.text;
  }
}

/// After the second token another one follows.
class Forcer final : public TokenForcer {
 public:
  std::unique_ptr<TokenForcer> begin() const override { return std::make_unique<Forcer>(); }
  std::vector<TokenId> after(TokenId) override { return ++seen_ == 2 ? Tokens{300} : Tokens{}; }

 private:
  int seen_ = 0;
};

TEST(ModelBeams, SayWhatTheyMust) {
  Engine engine(story_model(), options());
  Request r = beams("Once upon a time", 3, 5);
  r.forcer = std::make_shared<Forcer>();
  for (const Choice& text : texts_of(engine.generate(r))) {
    ASSERT_EQ(text.tokens.size(), 5u);
    EXPECT_EQ(text.tokens[2], 300);
  }
}

TEST(ModelBeams, ShiftTheirContexts) {
  EngineOptions o = options();
  o.cache.n_ctx = 64;
  o.schedule.context_shift = true;
  Engine many(story_model(), o);
  o.schedule.n_parallel = 1;
  Engine few(story_model(), o);
  Request r = beams("Once upon a time", 3, 150);
  r.ignore_eos = true;
  const Result got = many.generate(r), want = few.generate(r);
  EXPECT_EQ(got.tokens.size(), 150u);
  EXPECT_EQ(got.tokens, want.tokens);
  EXPECT_EQ(got.others[1].tokens, want.others[1].tokens);
}

TEST(ModelBeams, TakeEndTokensForOthersWhereTheyAreIgnored) {
  Engine engine(story_model(), options());
  Request r = beams("Once upon a time", 3, 6);
  r.ignore_eos = true;
  expect_found(engine.generate(r), test::search({3, 1, 6}, asks(engine, r, story_model().n_vocab())));
}

TEST(ModelBeams, AreRefusedByName) {
  EngineOptions shifts = options();
  shifts.schedule.context_shift = true;
  Engine engine(story_model(), options()), shifting(story_model(), shifts);
  const auto refusal = [](Engine& by, const std::function<void(Request&)>& change) {
    Request r = beams("Once", 2, 4);
    change(r);
    return std::string(test::error_of([&] { by.generate(r); }).what());
  };
  EXPECT_THAT(refusal(engine, [](Request& r) { r.beams = 129; }), HasSubstr("beams"));
  EXPECT_THAT(refusal(engine, [](Request& r) { r.beams = -1; }), HasSubstr("beams"));
  EXPECT_THAT(refusal(engine, [](Request& r) { r.n = 3; }), HasSubstr("n: want at most the number of beams, 2"));
  EXPECT_THAT(refusal(engine, [](Request& r) { r.length_penalty = 11; }), HasSubstr("length_penalty"));
  EXPECT_THAT(refusal(engine, [](Request& r) { r.length_penalty = NAN; }), HasSubstr("length_penalty"));
  EXPECT_THAT(refusal(engine, [](Request& r) { r.best_of = 2; }), HasSubstr("beams does not go with best_of"));
  EXPECT_THAT(refusal(engine, [](Request& r) { r.conversation = 1; }), HasSubstr("beams does not go with conversation"));
  EXPECT_THAT(refusal(shifting, [](Request& r) { r.max_tokens = -1; }), HasSubstr("beams needs max_tokens"));
}

}  // namespace
}  // namespace skald::model_beams_test
