// The logits of windows are those of their tokens computed alone, however many windows and tokens a step takes.
#include "tools/measure/window_logits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skald/model.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/paths.h"
#include "tools/measure/logits.h"

namespace skald::window_logits_test {
namespace {

constexpr int64_t kContext = 40;

class WindowLogitsTest : public testing::Test {
 protected:
  using Numbers = std::vector<std::vector<float>>;  // of each window

  static TokenChunks text(int64_t chunks, std::optional<TokenId> bos = 1, int64_t stride = 0) {
    return cut_tokens(test::some_tokens((chunks + 1) * kContext, 5, 448), bos,
                      {.n_ctx = kContext, .stride = stride, .most = chunks});
  }

  static EngineOptions options(int64_t ubatch) {
    return {.device = {.n_threads = 2}, .cache = {.type_k = "f32", .type_v = "f32"}, .schedule = {.n_ubatch = ubatch}};
  }

  Numbers windows(const TokenChunks& text, const EngineOptions& options, Positions positions) const {
    Numbers out(static_cast<size_t>(text.count));
    const int64_t first = positions == Positions::kAll ? 0 : text.first;
    compute_windows(*model_.loaded(), options, text, positions, nullptr, [&](const WindowLogits& w) {
      std::vector<float>& rows = out[static_cast<size_t>(w.chunk)];
      EXPECT_EQ(w.first, first + static_cast<int64_t>(rows.size()) / model_.n_vocab()) << "in order";
      rows.insert(rows.end(), w.values, w.values + w.rows * model_.n_vocab());
    });
    return out;
  }

  Numbers alone(const TokenChunks& text, const EngineOptions& options, int64_t first, int64_t decode_from) const {
    Numbers out;
    for (int64_t i = 0; i < text.count; ++i) {
      const std::vector<float> all = compute_logits(*model_.loaded(), options, text.window(i), decode_from);
      out.emplace_back(all.begin() + first * model_.n_vocab(), all.end());
    }
    return out;
  }

  Model model_ = Model::load((test::data_dir() / "golden/llama_gqa/model.gguf").string());
};

TEST_F(WindowLogitsTest, AreThoseOfTheTokensAlone) {
  const TokenChunks three = text(3);
  const Numbers want = alone(three, options(512), three.first, -1);
  for (const int64_t ubatch : {512, 100, 40, 39, 16, 7, 1})
    EXPECT_EQ(windows(three, options(ubatch), Positions::kPredicting), want) << ubatch;
}

TEST_F(WindowLogitsTest, AreOfAllPositionsWhereAsked) {
  const TokenChunks two = text(2);
  const Numbers want = alone(two, options(512), 0, -1);
  for (const int64_t ubatch : {512, 40, 7}) EXPECT_EQ(windows(two, options(ubatch), Positions::kAll), want) << ubatch;
}

TEST_F(WindowLogitsTest, OfAStrideOverlap) {
  const TokenChunks overlapping = text(3, std::nullopt, 8);
  EXPECT_EQ(windows(overlapping, options(512), Positions::kPredicting), alone(overlapping, options(512), kContext - 9, -1));
}

TEST_F(WindowLogitsTest, DecodeSparselyWhatIsPredicted) {
  const TokenChunks two = text(2);
  for (const bool mean : {false, true}) {
    EngineOptions sparse = options(512);
    sparse.cache.sparq = {.k1 = 8, .k2 = 8, .mean = mean};
    const Numbers want = alone(two, sparse, two.first, two.first);
    EXPECT_NE(want, alone(two, options(512), two.first, -1)) << "it makes a difference";
    for (const int64_t ubatch : {512, 40, 6, 1}) {
      sparse.schedule.n_ubatch = ubatch;
      EXPECT_EQ(windows(two, sparse, Positions::kPredicting), want) << ubatch;
    }
  }
}

// From 1024 keys on, the copy by dimensions is scored; rows of one step see it as it was for each of them.
TEST_F(WindowLogitsTest, DecodeSparselyFromTheIndex) {
  constexpr int64_t kLong = 2300;
  const TokenChunks one = cut_tokens(test::some_tokens(kLong, 5, 448), 1, {.n_ctx = kLong});
  EngineOptions sparse = options(512);
  sparse.cache.sparq = {.k1 = 8, .k2 = 32, .mean = false};
  EXPECT_EQ(windows(one, sparse, Positions::kPredicting), alone(one, sparse, one.first, one.first));
}

}  // namespace
}  // namespace skald::window_logits_test
