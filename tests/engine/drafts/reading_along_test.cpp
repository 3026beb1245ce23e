// A source that reads along sees the hidden row of every token of its texts.
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"
#include "tests/engine/fake_stepper.h"
#include "tests/engine/some_tokens.h"

namespace skald::reading_along_test {
namespace {

/// The rows that were seen of a text, by place.
class SeeingBranch : public TextDrafter {
 public:
  std::unique_ptr<TextDrafter> fork() const override { return std::make_unique<SeeingBranch>(*this); }
  void judge(int64_t, int64_t) override {}
  double likely(std::span<const TokenId>) override { return 0.5; }
  void see(int64_t first, const Logits& hidden, int64_t first_row, int64_t n) override {
    for (int64_t i = 0; i < n; ++i) rows[first + i] = hidden.row(first_row + i)[0];
  }

  std::map<int64_t, float> rows;
};

/// Guesses at random, and compares the rows with the texts, of which the fake stepper's rows are the tokens. What it guesses
/// is right at times, so that rows of right and of wrong guesses are seen.
class SeeingSource : public Drafter {
 public:
  std::unique_ptr<TextDrafter> begin(const Request&) override { return std::make_unique<SeeingBranch>(); }
  bool reads_along() const override { return true; }
  void guess(std::span<DraftQuestion> questions) override {
    for (DraftQuestion& q : questions) {
      const auto& rows = static_cast<SeeingBranch&>(*q.drafts).rows;
      for (int64_t p = 0; p < q.kv->length(); ++p) {
        const auto at = rows.find(p);
        if (at == rows.end()) {
          ++unseen;
          continue;
        }
        EXPECT_EQ(at->second, static_cast<float>(q.text[static_cast<size_t>(p)])) << "place " << p;
        ++seen;
      }
      of_prompts += q.most == 0;
      if (q.most == 0) continue;
      for (int64_t i = 0; i < std::min<int64_t>(q.most, 3); ++i) q.guesses.push_back(guess_of(q.text, i));
    }
  }

  std::function<TokenId(std::span<const TokenId> text, int64_t i)> guess_of;
  int64_t seen = 0, unseen = 0, of_prompts = 0;
};

struct Setting {
  int64_t keys, window;
  bool state, shares;
};

class ReadingAlong : public testing::TestWithParam<Setting> {};

TEST_P(ReadingAlong, SeesEveryRowOfATextAsItBecame) {
  const Setting& s = GetParam();
  // Right guesses come from the same texts without a source.
  std::map<std::vector<TokenId>, std::vector<TokenId>> texts;
  const auto generate = [&](const std::shared_ptr<Drafter>& source) {
    LoopOptions o{.limits = {.n_ctx = 600}, .n_parallel = 4, .rows = 40};
    o.drafts = source;
    o.share_prefixes = s.shares;
    test::Driver d(s.keys, std::move(o), s.window, s.state);
    std::vector<std::future<Result>> results;
    std::vector<std::vector<TokenId>> prompts;
    for (uint64_t i = 0; i < 6; ++i) {
      prompts.push_back(test::some(60 + 30 * static_cast<int64_t>(i), s.shares ? 1 : i + 1));
      Request r{.prompt = prompts.back(), .max_tokens = 40, .sampling = {.temperature = 1, .seed = 3 + i}, .on_event = {}};
      r.n = i == 2 ? 2 : 1;
      results.push_back(d.submit(std::move(r)));
    }
    EXPECT_TRUE(d.run());
    std::vector<std::vector<TokenId>> out;
    for (size_t i = 0; i < results.size(); ++i) {
      out.push_back(results[i].get().tokens);
      texts[prompts[i]] = out.back();
    }
    return out;
  };
  const auto want = generate(nullptr);
  const auto source = std::make_shared<SeeingSource>();
  Rng rng(1);
  source->guess_of = [&](std::span<const TokenId> text, int64_t i) {
    if (rng.uniform() < 0.3) return static_cast<TokenId>(rng.next() % test::kFakeVocab);
    for (const auto& [prompt, tokens] : texts) {
      const size_t at = text.size() + static_cast<size_t>(i) - std::min(text.size(), prompt.size());
      if (text.size() >= prompt.size() && std::ranges::equal(text.first(prompt.size()), prompt) && at < tokens.size())
        return tokens[at];
    }
    return TokenId{0};
  };
  EXPECT_EQ(generate(source), want);
  EXPECT_GT(source->seen, 1000);
  EXPECT_GT(source->of_prompts, 3);
  if (!s.shares) {
    EXPECT_EQ(source->unseen, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReadingAlong,
                         testing::Values(Setting{4000, 0, false, false}, Setting{500, 0, false, false},
                                         Setting{4000, 70, false, false}, Setting{4000, 0, true, false},
                                         Setting{700, 70, true, false}, Setting{4000, 0, false, true}));

}  // namespace
}  // namespace skald::reading_along_test
