// The windows of a static cache against a plain deque over thousands of steps, and what was copied for them.
#include "kv/static_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/errors.h"

namespace skald {
namespace {

/// Two layers that differ in everything, so that no offset is right by chance.
StaticKvSpec spec_of(int64_t context, StaticReserve reserve, int64_t element_bytes = 2) {
  return {.layers = {{.n_kv_heads = 2, .d_k = 3, .d_v = 4}, {.n_kv_heads = 3, .d_k = 5, .d_v = 1}},
          .context = context,
          .element_bytes = element_bytes,
          .reserve = reserve};
}

/// Drives a manager as a graph would, beside the definition of what its windows hold.
class Oracle {
 public:
  explicit Oracle(const StaticKvSpec& spec) : manager_(spec) { reset(); }

  StaticKvManager& manager() { return manager_; }

  void step() {
    newest_ += 1;
    for_each_row_to_write(1, [](const StaticWindow& w, int64_t) { return w.output; });
    manager_.advance();
    remember(1);
  }

  void append(int64_t n) {
    manager_.append(n);
    newest_ += n;
    for_each_row_to_write(n, [&](const StaticWindow& w, int64_t i) { return w.newest(n) + i * w.row_bytes; });
    remember(n);
  }

  void reset() {
    manager_.reset();
    newest_ = 0;
    window_.assign(static_cast<size_t>(manager_.spec().window_rows()), 0);
  }

  void check() {
    for_each_window([&](const StaticWindow& w, int64_t which) {
      for (size_t r = 0; r < window_.size(); ++r) {
        const std::vector<std::byte> want = row(window_[r], which, w.row_bytes);
        ASSERT_EQ(std::memcmp(w.input + static_cast<int64_t>(r) * w.row_bytes, want.data(), want.size()), 0)
            << "window " << which << ", row " << r << " after " << newest_ << " tokens";
      }
    });
    const int64_t padding = std::ranges::count(window_, 0);
    EXPECT_EQ(manager_.valid_rows(), std::ssize(window_) - padding);
    EXPECT_EQ(manager_.counters().tokens, newest_);
  }

 private:
  template <class Visit>
  void for_each_window(Visit&& visit) {
    int64_t which = 0;
    for (size_t l = 0; l < manager_.spec().layers.size(); ++l)
      for (int64_t head = 0; head < manager_.spec().layers[l].n_kv_heads; ++head) {
        visit(manager_.keys(static_cast<int64_t>(l), head), which++);
        visit(manager_.values(static_cast<int64_t>(l), head), which++);
      }
  }

  /// The newest n tokens, the i-th of them at place(window, i).
  template <class Place>
  void for_each_row_to_write(int64_t n, Place&& place) {
    for_each_window([&](const StaticWindow& w, int64_t which) {
      for (int64_t i = 0; i < n; ++i) {
        const std::vector<std::byte> bytes = row(newest_ - n + 1 + i, which, w.row_bytes);
        std::memcpy(place(w, i), bytes.data(), bytes.size());
      }
    });
  }

  void remember(int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      window_.push_back(newest_ - n + 1 + i);
      window_.pop_front();
    }
  }

  /// Token 0 is padding: zeros. Others differ by token, window and byte.
  static std::vector<std::byte> row(int64_t token, int64_t which, int64_t bytes) {
    std::vector<std::byte> out(static_cast<size_t>(bytes));
    if (token == 0) return out;
    auto bits = static_cast<uint32_t>(token * 64 + which);
    for (std::byte& b : out) {
      bits = bits * 1664525 + 1013904223;
      b = static_cast<std::byte>((bits >> 16) % 255 + 1);
    }
    return out;
  }

  StaticKvManager manager_;
  std::deque<int64_t> window_;  // tokens, the newest last
  int64_t newest_ = 0;
};

class StaticManager : public testing::TestWithParam<std::tuple<int64_t, StaticReserve>> {
 protected:
  int64_t context() const { return std::get<0>(GetParam()); }
  int64_t window_rows() const { return context() - 1; }
  StaticReserve reserve() const { return std::get<1>(GetParam()); }
  StaticKvSpec spec() const { return spec_of(context(), reserve()); }
};

TEST_P(StaticManager, HoldsTheNewestRowsAfterEveryStep) {
  Oracle oracle(spec());
  oracle.check();
  for (int64_t step = 0; step < 2000; ++step) {
    oracle.step();
    ASSERT_NO_FATAL_FAILURE(oracle.check());
  }
}

TEST_P(StaticManager, HoldsThemWithElementsOfEverySize) {
  for (int64_t element_bytes : {1, 4}) {
    Oracle oracle(spec_of(context(), reserve(), element_bytes));
    for (int64_t step = 0; step < 5 * context(); ++step) {
      oracle.step();
      ASSERT_NO_FATAL_FAILURE(oracle.check());
    }
  }
}

TEST_P(StaticManager, TakesPromptsAndStepsInAnyOrder) {
  Oracle oracle(spec());
  std::mt19937 bits(7);
  for (int round = 0; round < 1000; ++round) {
    if (bits() % 97 == 0) oracle.reset();
    if (bits() % 3 == 0) {
      oracle.append(1 + static_cast<int64_t>(bits() % static_cast<uint32_t>(window_rows())));
    } else {
      oracle.step();
    }
    ASSERT_NO_FATAL_FAILURE(oracle.check());
  }
}

TEST_P(StaticManager, PutsTheOutputAfterTheInputAndMovesByOneRow) {
  StaticKvManager manager(spec());
  for (int64_t step = 0; step < 3 * context(); ++step) {
    const StaticWindow before = manager.keys(1, 2);
    EXPECT_EQ(before.output, before.input + window_rows() * before.row_bytes);
    EXPECT_EQ(before.newest(1), before.output - before.row_bytes);
    const int64_t copies = manager.counters().copies;
    manager.advance();
    const StaticWindow after = manager.keys(1, 2);
    if (manager.counters().copies == copies) {
      EXPECT_EQ(after.input, before.input + before.row_bytes);
      EXPECT_EQ(after.newest(1), before.output) << "appending moved nothing";
    } else {
      EXPECT_EQ(after.input, before.input - (manager.spec().spare_rows() - 1) * before.row_bytes);
    }
  }
}

TEST_P(StaticManager, KeepsItsWindowsApartAndInsideItsMemory) {
  StaticKvManager manager(spec());
  const std::byte* const first = manager.keys(0, 0).input;
  std::vector<std::pair<const std::byte*, const std::byte*>> reserves;
  for (int64_t layer : {0, 1})
    for (int64_t head = 0; head < manager.spec().layers[static_cast<size_t>(layer)].n_kv_heads; ++head)
      for (const StaticWindow& w : {manager.keys(layer, head), manager.values(layer, head)})
        reserves.emplace_back(w.input, w.output + manager.spec().spare_rows() * w.row_bytes);
  std::ranges::sort(reserves);
  EXPECT_EQ(reserves.front().first, first);
  for (size_t i = 1; i < reserves.size(); ++i) EXPECT_LE(reserves[i - 1].second, reserves[i].first);
  EXPECT_LE(reserves.back().second, first + manager.bytes());
  EXPECT_EQ(manager.bytes(), static_kv_size(manager.spec()).bytes);
}

TEST_P(StaticManager, CopiesOneWindowForEverySpareRow) {
  StaticKvManager manager(spec());
  const StaticKvSize size = static_kv_size(manager.spec());
  const int64_t spare = manager.spec().spare_rows();
  for (int64_t step = 1; step <= 4000; ++step) {
    manager.advance();
    const StaticKvCounters& c = manager.counters();
    ASSERT_EQ(c.tokens, step);
    ASSERT_EQ(c.shifts, step);
    ASSERT_EQ(c.copies, step / spare);
    ASSERT_LE(c.copied_bytes, step / spare * size.window_bytes);
  }
  // Row-sets per token: one with a reserve of 2; two with 1.5 and an even window, where half of its rows are spare.
  const auto per_token =
      static_cast<double>(manager.counters().copied_bytes) / 4000.0 / static_cast<double>(size.token_bytes);
  if (reserve() == StaticReserve::kDouble) {
    EXPECT_LE(per_token, 1.0);
  } else if (window_rows() % 2 == 0) {
    EXPECT_LE(per_token, 2.0);
  } else {
    EXPECT_LE(per_token, static_cast<double>(window_rows()) / static_cast<double>(spare));
  }
}

TEST_P(StaticManager, CopiesWholeWindowsOnceTheyAreFull) {
  StaticKvManager manager(spec());
  const StaticKvSize size = static_kv_size(manager.spec());
  for (int64_t step = 0; step < 2 * context(); ++step) manager.advance();
  const int64_t before = manager.counters().copied_bytes, spare = manager.spec().spare_rows();
  for (int64_t step = 0; step < 10 * spare; ++step) manager.advance();
  EXPECT_EQ(manager.counters().copied_bytes - before, 10 * size.window_bytes);
}

TEST_P(StaticManager, TakesAPromptIntoAnEmptyCacheWithoutACopy) {
  for (int64_t n = 1; n <= window_rows(); ++n) {
    Oracle oracle(spec());
    oracle.append(n);
    oracle.check();
    EXPECT_EQ(oracle.manager().counters().copies, 0) << n << " tokens";
    EXPECT_EQ(oracle.manager().counters().shifts, 1) << n << " tokens";
  }
}

TEST_P(StaticManager, CopiesAtMostOnceForAPromptAndOnlyRowsThatStay) {
  for (int64_t before = 0; before <= 2 * window_rows(); ++before)
    for (int64_t n = 1; n <= window_rows(); n += 1 + n / 8) {
      StaticKvManager manager(spec());
      for (int64_t i = 0; i < before; ++i) manager.advance();
      const StaticKvCounters was = manager.counters();
      manager.append(n);
      const int64_t copies = manager.counters().copies - was.copies;
      const int64_t stay = std::min(before, window_rows() - n) * static_kv_size(manager.spec()).token_bytes;
      EXPECT_LE(copies, 1);
      EXPECT_EQ(manager.counters().copied_bytes - was.copied_bytes, copies * stay);
    }
}

TEST_P(StaticManager, IsAsNewAfterAReset) {
  Oracle oracle(spec());
  const std::byte* const first = oracle.manager().values(1, 0).input;
  for (int64_t tokens : {int64_t{0}, int64_t{1}, window_rows(), 5 * context() + 1}) {
    for (int64_t i = 0; i < tokens; ++i) oracle.step();
    oracle.reset();
    oracle.check();
    EXPECT_EQ(oracle.manager().values(1, 0).input, first);
    EXPECT_EQ(oracle.manager().counters().copied_bytes, 0);
  }
}

std::string case_name(const testing::TestParamInfo<std::tuple<int64_t, StaticReserve>>& info) {
  const bool two = std::get<1>(info.param) == StaticReserve::kDouble;
  return "Context" + std::to_string(std::get<0>(info.param)) + (two ? "Reserve20" : "Reserve15");
}

INSTANTIATE_TEST_SUITE_P(All, StaticManager,
                         testing::Combine(testing::Values(2, 3, 4, 5, 17, 64),
                                          testing::Values(StaticReserve::kDouble, StaticReserve::kOneAndHalf)),
                         case_name);

TEST(StaticManagerWindows, AreOneStrideApartFromHeadToHead) {
  for (const StaticReserve reserve : {StaticReserve::kDouble, StaticReserve::kOneAndHalf}) {
    StaticKvManager manager(spec_of(8, reserve));
    for (int step = 0; step < 20; ++step, manager.advance())
      for (int64_t head = 0; head < 3; ++head) {
        const StaticWindow first = manager.keys(1, 0), other = manager.keys(1, head);
        EXPECT_EQ(other.input, first.input + head * first.head_stride);
        EXPECT_EQ(other.output, first.output + head * first.head_stride);
      }
  }
}

TEST(StaticManagerErrors, NameThePromptThatDoesNotFit) {
  StaticKvManager manager(spec_of(8, StaticReserve::kDouble));
  for (int64_t n : {-1, 0, 8, 1000}) {
    const Error e = test::error_of([&] { manager.append(n); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), testing::HasSubstr(std::to_string(n) + " tokens at once: want 1 to 7"));
  }
  EXPECT_EQ(manager.counters().tokens, 0);
}

TEST(StaticManagerErrors, AreThoseOfTheSpecAndOfTheSystem) {
  EXPECT_EQ(test::error_of([] { StaticKvManager(spec_of(1, StaticReserve::kDouble)); }).code(), Errc::kBadInput);
  const StaticKvSpec huge = spec_of(int64_t{1} << 56, StaticReserve::kDouble, 1);
  EXPECT_EQ(test::error_of([&] { StaticKvManager{huge}; }).code(), Errc::kNoMemory);
}

TEST(StaticManagerErrors, HeadsThatDoNotExistAreOurOwnBug) {
  const StaticKvManager manager(spec_of(8, StaticReserve::kDouble));
  EXPECT_EQ(test::error_of([&] { manager.keys(0, 2); }).code(), Errc::kInternal);
  EXPECT_EQ(test::error_of([&] { manager.values(2, 0); }).code(), Errc::kInternal);
}

}  // namespace
}  // namespace skald
