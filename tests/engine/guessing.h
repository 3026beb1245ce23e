// A source of drafts that is a function of the text.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/drafts/draft_kind.h"

namespace skald::test {

using Guess = std::function<std::vector<TokenId>(std::span<const TokenId> text)>;

class GuessingBranch : public TextDrafter {
 public:
  std::unique_ptr<TextDrafter> fork() const override { return std::make_unique<GuessingBranch>(); }
  void judge(int64_t right, int64_t guessed) override {
    EXPECT_GE(right, 0);
    EXPECT_LE(right, guessed);
    EXPECT_GT(guessed, 0);
  }
  double likely(std::span<const TokenId>) override { return 0.5; }
};

class GuessingSource : public Drafter {
 public:
  explicit GuessingSource(Guess guess) : guess_(std::move(guess)) {}
  std::unique_ptr<TextDrafter> begin(const Request&) override { return std::make_unique<GuessingBranch>(); }
  void guess(std::span<DraftQuestion> questions) override {
    for (DraftQuestion& q : questions) {
      q.guesses = guess_(q.text);
      if (std::ssize(q.guesses) > q.most) q.guesses.resize(static_cast<size_t>(q.most));
    }
  }

 private:
  Guess guess_;
};

/// Those that fit.
inline std::shared_ptr<Drafter> guessing(Guess guess) { return std::make_shared<GuessingSource>(std::move(guess)); }

}  // namespace skald::test
