// Sequences that forget: each key's position is written where the key lies, so that a view shows what is still there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "kv/sequence.h"

namespace skald {
namespace {

using Positions = std::vector<int64_t>;

/// Keys and values of 8 bytes in rows: room for a position each.
KvSpec spec_of(std::vector<int64_t> windows, int64_t max_keys) {
  std::vector<StateSpec> layers;
  for (int64_t window : windows) layers.push_back(AttentionState{.n_kv_heads = 1, .d_k = 2, .d_v = 2, .window = window});
  return make_kv_spec(std::move(layers), {.k_type = "f32", .v_type = "f32", .layout = "rows"}, max_keys);
}

void write(const KvView& view, int64_t position) {
  std::memcpy(view.k_row(0, position - view.shift), &position, sizeof position);
  std::memcpy(view.v_row(0, position - view.shift), &position, sizeof position);
}

int64_t read(const KvView& view, int64_t slot) {
  int64_t k, v;
  std::memcpy(&k, view.k_row(0, slot), sizeof k);
  std::memcpy(&v, view.v_row(0, slot), sizeof v);
  EXPECT_EQ(k, v) << "slot " << slot;
  return k;
}

bool append(KvSequence& s, int64_t n, size_t layers) {
  if (!s.reserve(s.length() + n)) return false;
  for (size_t layer = 0; layer < layers; ++layer)
    for (int64_t i = 0; i < n; ++i) write(s.view(static_cast<int64_t>(layer)), s.length() + i);
  s.set_length(s.length() + n);
  return true;
}

/// The positions of the keys that a layer's view shows, as they are found in memory and as the view says.
Positions shown(const KvSequence& s, int64_t layer) {
  const KvView view = s.view(layer);
  Positions found;
  const auto look = [&](int64_t from, int64_t to, int64_t shift) {
    for (int64_t slot = from; slot < to; ++slot) {
      found.push_back(read(view, slot));
      EXPECT_EQ(found.back(), slot + shift) << "slot " << slot;
    }
  };
  look(0, std::min(view.kept, s.length()), 0);
  look(view.begin, s.length() - view.shift, view.shift);
  EXPECT_GE(view.begin, view.kept);
  EXPECT_EQ(view.shift % kPageKeys, 0);
  return found;
}

/// [0, first) and [from, to).
Positions positions(int64_t first, int64_t from, int64_t to) {
  Positions out(static_cast<size_t>(first + std::max<int64_t>(to - from, 0)));
  std::iota(out.begin(), out.begin() + first, 0);
  std::iota(out.begin() + first, out.end(), from);
  return out;
}

struct WindowCase {
  int64_t window, sinks, rows;
};

// This many pages hold the sinks, and a window with the rows of a step that begins anywhere in a page.
int64_t most_pages(const WindowCase& c) {
  const auto pages = [](int64_t keys) { return (keys + kPageKeys - 1) / kPageKeys; };
  return pages(c.sinks) + pages(c.window - 1 + c.rows) + 1;
}

void check_window(const WindowCase& c, int64_t length) {
  SCOPED_TRACE(testing::Message() << "window " << c.window << ", " << c.sinks << " sinks, steps of " << c.rows);
  KvCache cache(spec_of({c.window}, length), {.max_keys = length, .max_rows = c.rows, .sinks = c.sinks});
  KvSequence s(cache);
  while (s.length() < length) {
    ASSERT_TRUE(append(s, std::min(c.rows, length - s.length()), 1)) << s.length();
    ASSERT_LE(cache.pool(0).taken(), most_pages(c)) << s.length();
    if (s.length() > 1000 && s.length() % 97 != 0) continue;
    const int64_t sinks = std::min(c.sinks, s.length());
    ASSERT_EQ(shown(s, 0), positions(sinks, std::max(sinks, s.length() + 1 - c.window), s.length())) << s.length();
  }
  EXPECT_LE(cache.pool(0).bytes(), most_pages(c) * cache.pool(0).page_bytes()) << "held over all the time";
}

TEST(Window, ShowsItsKeysAndTheSinksWhateverTheStep) {
  for (int64_t window : {1, 5, 63, 64, 65, 200})
    for (int64_t sinks : {0, 1, 4, 64, 70})
      for (int64_t rows : {1, 7, 64, 150}) check_window({window, sinks, rows}, 1200);
}

TEST(Window, NeedsNoMorePagesForAHundredThousandTokens) {
  check_window({100, 0, 1}, 100'000);
  check_window({100, 4, 1}, 100'000);
  check_window({512, 4, 512}, 100'000);
}

TEST(Window, StaysWhileOtherLayersDrop) {
  constexpr int64_t kMaxKeys = 300, kSinks = 3, kRows = 200;
  KvCache cache(spec_of({280, 0}, kMaxKeys), {.max_keys = kMaxKeys, .max_rows = kRows, .sinks = kSinks});
  KvSequence s(cache);
  while (s.length() < 2000) {
    if (s.held() + kRows > kMaxKeys) s.drop(10, s.held() + kRows - kMaxKeys);
    ASSERT_TRUE(append(s, kRows, 2)) << s.length();
    ASSERT_EQ(shown(s, 0), positions(kSinks, std::max(kSinks, s.length() + 1 - 280), s.length())) << s.length();
    const int64_t kept = s.dropped() ? 10 : 0;
    ASSERT_EQ(shown(s, 1), positions(kept, kept + s.dropped(), s.length())) << s.length();
  }
}

/// A sequence of one layer and the positions that it should still hold.
class Drops {
 public:
  Drops(uint64_t seed, int64_t keep) : random_(seed), keep_(keep) {}

  void run(int n) {
    for (int i = 0; i < n && !testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "operation " << i << ", keeping " << keep_);
      change(uniform(0, 9));
      check();
    }
  }

 private:
  int64_t uniform(int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random_() % static_cast<uint64_t>(to - from + 1));
  }
  int64_t held() const { return static_cast<int64_t>(held_.size()); }

  void change(int64_t what) {
    if (what < 5)
      append_some();
    else if (what < 8)
      drop_some();
    else
      truncate_some();
  }

  void append_some() {
    const int64_t n = std::min(uniform(1, 150), kMaxKeys - held());
    ASSERT_TRUE(append(s_, n, 1));
    for (int64_t i = 0; i < n; ++i) held_.push_back(s_.length() - n + i);
  }

  void drop_some() {
    if (held() <= keep_) return;
    const int64_t n = uniform(1, held() - keep_);
    s_.drop(keep_, n);
    held_.erase(held_.begin() + keep_, held_.begin() + keep_ + n);
    lowest_ = s_.view(0).begin + s_.view(0).shift;
  }

  // Not below a dropped position, or to nothing.
  void truncate_some() {
    const bool all = uniform(0, 9) == 0;
    const int64_t n = all ? 0 : uniform(lowest_, s_.length());
    EXPECT_TRUE(s_.truncate(n));
    std::erase_if(held_, [&](int64_t p) { return p >= n; });
    if (all) lowest_ = 0;
  }

  void check() {
    ASSERT_EQ(shown(s_, 0), held_);
    ASSERT_EQ(s_.held(), held());
    ASSERT_EQ(s_.dropped(), s_.length() - held());
    ASSERT_EQ(s_.view(0).dropped, s_.dropped());
    ASSERT_EQ(s_.view(0).kept, s_.dropped() ? keep_ : 0);
    ASSERT_LE(cache_.pool(0).taken(), held() / kPageKeys + 3) << held() << " keys";
  }

  static constexpr int64_t kMaxKeys = 700;
  KvCache cache_{spec_of({0}, kMaxKeys), {.max_keys = kMaxKeys}};
  KvSequence s_{cache_};
  std::mt19937_64 random_;
  int64_t keep_, lowest_ = 0;
  Positions held_;
};

TEST(Drop, HoldsWhatIsNotDroppedInAnyOrderOfEvents) {
  uint64_t seed = 0;
  for (int64_t keep : {0, 1, 4, 63, 64, 65, 130, 500}) Drops(++seed, keep).run(2000);
}

TEST(Drop, KeepsThePagesOfAnEndlessSequenceConstant) {
  constexpr int64_t kMaxKeys = 1000;
  KvCache cache(spec_of({0}, kMaxKeys), {.max_keys = kMaxKeys});
  KvSequence s(cache);
  while (s.length() < 100'000) {
    if (s.held() == kMaxKeys) s.drop(4, kMaxKeys / 2);
    ASSERT_TRUE(append(s, 1, 1)) << s.length();
  }
  EXPECT_LE(cache.pool(0).bytes() / cache.pool(0).page_bytes(), kMaxKeys / kPageKeys + 3);
  const int64_t last = s.length() - (s.held() - 4);
  EXPECT_EQ(shown(s, 0), positions(4, last, s.length()));
}

}  // namespace
}  // namespace skald
