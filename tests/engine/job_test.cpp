// A running request without an engine: the text that comes out of chosen tokens.
#include "engine/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loading/loaded_model.h"
#include "tests/engine/requests.h"
#include "tests/support/paths.h"
#include "text/utf8.h"

namespace skald {
namespace {

using testing::ElementsAre;

bool whole_utf8(std::string_view text) {
  bool whole = true;
  for_each_utf8_run(text, [&](std::string_view, bool valid) { whole = whole && valid; });
  return whole;
}

// A request whose tokens the test decides: greedy over logits that favour one.
class Dictated {
 public:
  explicit Dictated(const Tokenizer& tokenizer, Request request = {}) : n_vocab_(tokenizer.vocab().size()) {
    if (request.prompt.empty()) request.prompt = {1};
    request.sampling = {.temperature = 0};
    request.on_event = [this](const Event& e) {
      EXPECT_TRUE(whole_utf8(e.text));
      texts.emplace_back(e.text);
      last = e.finish;
    };
    std::promise<Result> promise;
    result = promise.get_future();
    active.emplace(1, std::move(request), Past{KvSequence(kv_)}, &tokenizer, Job::Limits{100}, std::move(promise));
  }

  bool next(TokenId token, Clock::time_point now = Clock::now()) {
    std::vector<float> logits(static_cast<size_t>(n_vocab_));
    logits[static_cast<size_t>(token)] = 1;
    const Logits row({reinterpret_cast<std::byte*>(logits.data()), {&format_f32, {1, n_vocab_}}}, host_memory());
    Branch& branch = active->first();
    const Branch::Picked picked = branch.pick(row, 0).front();
    return active->next(branch, picked, now);
  }

 private:
  int64_t n_vocab_;
  KvCache kv_{make_kv_spec({}, {}, 100), {.max_keys = 100}};

 public:
  std::vector<std::string> texts;
  FinishReason last = FinishReason::kNone;
  std::future<Result> result;
  std::optional<Job> active;
};

const Tokenizer& story_tokenizer() { return test::story_model().loaded()->tokenizer(); }

std::vector<TokenId> bytes_of(std::string_view text) { return story_tokenizer().encode(text, {.add_special = false}); }

TEST(Job, HoldsBackTheBytesOfAnUnfinishedCharacter) {
  const std::vector<TokenId> euro = bytes_of("€");
  ASSERT_EQ(euro.size(), 3u) << "the story model spells it in bytes";
  Dictated d(story_tokenizer());
  for (const TokenId id : euro) EXPECT_TRUE(d.next(id));
  d.active->finish(FinishReason::kLength, Clock::now());
  EXPECT_THAT(d.texts, ElementsAre("", "", "€", ""));
  EXPECT_EQ(d.result.get().text, "€");
}

TEST(Job, EndsWithAReplacementForWhatStaysUnfinished) {
  Dictated d(story_tokenizer());
  d.next(bytes_of("€")[0]);
  d.active->finish(FinishReason::kCancelled, Clock::now());
  EXPECT_THAT(d.texts, ElementsAre("", "\xEF\xBF\xBD"));
  EXPECT_EQ(d.result.get().text, "\xEF\xBF\xBD");
  EXPECT_EQ(d.last, FinishReason::kCancelled);
}

TEST(Job, ReplacesABrokenCharacterOnceItIsKnownToBeBroken) {
  const std::vector<TokenId> euro = bytes_of("€"), a = bytes_of("a");
  Dictated d(story_tokenizer());
  for (const TokenId id : {euro[0], euro[1], a[0]}) d.next(id);
  d.active->finish(FinishReason::kLength, Clock::now());
  EXPECT_THAT(d.texts, ElementsAre("", "",
                                   "\xEF\xBF\xBD"
                                   "a",
                                   ""));
}

TEST(Job, KeepsTheSpaceBeforeTheFirstWordOfAContinuation) {
  const std::string path = (test::data_dir() / "golden/tokenizers/spm/vocab.gguf").string();
  const auto tokenizer = Tokenizer::create(Gguf::open(path, FileBytes::How::kRead).meta());
  ASSERT_TRUE(tokenizer->adds_first_space());
  const std::optional<TokenId> space_the = tokenizer->vocab().find("\xE2\x96\x81the");  // U+2581 stands for the space
  ASSERT_TRUE(space_the);
  Dictated d(*tokenizer);
  d.next(*space_the);
  EXPECT_THAT(d.texts, ElementsAre(" the"));
}

TEST(Job, EndsOnAnEndTokenWithoutReportingIt) {
  Dictated d(story_tokenizer());
  EXPECT_FALSE(d.next(0));
  EXPECT_THAT(d.texts, ElementsAre(""));
  const Result r = d.result.get();
  EXPECT_EQ(r.finish, FinishReason::kEnd);
  EXPECT_TRUE(r.tokens.empty());
}

TEST(Job, EndsBeforeAStopTextThatCrossesTokens) {
  Dictated d(story_tokenizer(), {.prompt = {}, .stop = {"x", "the end"}, .sampling = {}, .on_event = {}});
  const std::vector<TokenId> ids = bytes_of(" at the end of all");
  ASSERT_GT(ids.size(), 4u);
  size_t n = 0;
  while (d.next(ids[n++])) ASSERT_LT(n, ids.size());
  const Result r = d.result.get();
  EXPECT_EQ(r.text, " at ");
  EXPECT_EQ(r.finish, FinishReason::kStop);
  EXPECT_EQ(r.stop_text, "the end");
  std::string told;
  for (const std::string& text : d.texts) told += text;
  EXPECT_EQ(told, r.text) << "nothing of a stop text is told";
}

TEST(Job, TellsWhatOnlyLookedLikeAStopText) {
  Dictated d(story_tokenizer(), {.prompt = {}, .stop = {"the end."}, .sampling = {}, .on_event = {}});
  for (const TokenId id : bytes_of(" the end")) EXPECT_TRUE(d.next(id));
  d.active->finish(FinishReason::kLength, Clock::now());
  const Result r = d.result.get();
  EXPECT_EQ(r.text, " the end");
  EXPECT_EQ(r.finish, FinishReason::kLength);
}

TEST(Job, EndsAtALineWithTooFewBlanks) {
  Dictated d(story_tokenizer(), {.prompt = {}, .min_indent = 2, .sampling = {}, .on_event = {}});
  const std::vector<TokenId> ids = bytes_of(" a\n  b\n c\n  d");
  size_t n = 0;
  while (d.next(ids[n++])) ASSERT_LT(n, ids.size());
  const Result r = d.result.get();
  EXPECT_EQ(r.text, " a\n  b\n ");
  EXPECT_EQ(r.finish, FinishReason::kLength);
  std::string told;
  for (const std::string& text : d.texts) told += text;
  EXPECT_EQ(told, r.text);
}

TEST(Job, EndsAtALineFeedOnceItsTimeIsOver) {
  Dictated d(story_tokenizer(), {.prompt = {}, .max_seconds = 1, .sampling = {}, .on_event = {}});
  const auto begin = Clock::now(), late = begin + std::chrono::seconds(2);
  const std::vector<TokenId> line = bytes_of("a\n");
  for (const TokenId id : line) EXPECT_TRUE(d.next(id, begin));
  for (size_t i = 0; i < line.size(); ++i) EXPECT_EQ(d.next(line[i], late), i + 1 < line.size());
  EXPECT_EQ(d.result.get().finish, FinishReason::kLength);
}

TEST(Job, SaysWhichTokenEndedIt) {
  Dictated d(story_tokenizer());
  d.next(0);
  EXPECT_EQ(d.result.get().end_token, 0);
}

TEST(Job, DrawsNoEndTokenWhenToldToIgnoreIt) {
  Dictated d(story_tokenizer(), {.prompt = {}, .ignore_eos = true, .sampling = {}, .on_event = {}});
  EXPECT_TRUE(d.next(0));
  d.active->finish(FinishReason::kCancelled, Clock::now());
  EXPECT_THAT(d.result.get().tokens, ElementsAre(testing::Ne(0)));
}

TEST(Job, HasThePromptPendingFirstThenTheLastToken) {
  Dictated d(story_tokenizer(), {.prompt = {5, 6, 7}, .sampling = {}, .on_event = {}});
  EXPECT_THAT(d.active->first().pending(), ElementsAre(5, 6, 7));
  d.active->first().kv.set_length(2);
  EXPECT_THAT(d.active->first().pending(), ElementsAre(7));
  d.active->first().kv.set_length(3);
  d.next(300);
  EXPECT_THAT(d.active->first().pending(), ElementsAre(300));
  d.active->finish(FinishReason::kCancelled, Clock::now());
}

TEST(Job, ForgetsHalfOfWhatNeedNotBeKeptWhenItIsFull) {
  KvCache kv(make_kv_spec({AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2}}, {}, 100), {.max_keys = 100});
  Request r{.prompt = std::vector<TokenId>(30, 1), .keep = 20, .sampling = {}, .on_event = {}};
  Job job(1, std::move(r), Past{KvSequence(kv)}, nullptr, {.n_ctx = 100, .shift = true}, {});
  KvSequence& s = job.first().kv;
  ASSERT_TRUE(s.reserve(100));
  s.set_length(99);
  job.make_room(job.first());
  EXPECT_EQ(s.dropped(), 0);
  s.set_length(100);
  job.make_room(job.first());
  EXPECT_EQ(s.dropped(), 40);
  EXPECT_EQ(s.view(0).kept, 20);
}

// Tokens drawn evenly from a vocabulary of which an eighth are single bytes make a lot of broken text.
TEST(Stream, OfRandomTokensIsWholeCharactersThatAddUpToTheText) {
  Engine engine(test::story_model(), {.device = {.n_threads = 2}});
  Request r = test::story("Once", 600);
  r.sampling = {.temperature = 1000, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 1};
  std::string streamed;
  std::vector<TokenId> tokens;
  FinishReason last = FinishReason::kNone;
  r.on_event = [&](const Event& e) {
    EXPECT_TRUE(whole_utf8(e.text));
    EXPECT_EQ(last, FinishReason::kNone) << "nothing comes after the end";
    EXPECT_EQ(e.token < 0, e.finish != FinishReason::kNone);
    streamed += e.text;
    if (e.token >= 0) tokens.push_back(e.token);
    last = e.finish;
  };
  const Result result = engine.generate(std::move(r));
  EXPECT_EQ(streamed, result.text);
  EXPECT_EQ(tokens, result.tokens);
  EXPECT_EQ(last, FinishReason::kLength);
  EXPECT_EQ(result.text, test::story_model().detokenize(result.tokens));
  EXPECT_NE(result.text.find(kReplacement), std::string::npos) << "the test is of no use without broken characters";
}

}  // namespace
}  // namespace skald
