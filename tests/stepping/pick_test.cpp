// The choice of a token: of the few that a device tells, or of the row, the same one.
#include "stepping/pick.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace skald::pick_test {
namespace {

constexpr size_t kVocab = 3000;

/// What a device tells of a row.
BestTokens best_of(const std::vector<float>& row) {
  std::vector<TokenId> ids(row.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::stable_sort(ids, std::greater<>(), [&](TokenId id) { return row[static_cast<size_t>(id)]; });
  BestTokens out{.n = BestTokens::kMost, .finite = 1};
  for (size_t i = 0; i < static_cast<size_t>(out.n); ++i) {
    out.tokens[i] = ids[i];
    out.logits[i] = row[static_cast<size_t>(ids[i])];
  }
  return out;
}

/// Memory whose reads are counted.
class CountedMemory : public DeviceMemory {
 public:
  std::unique_ptr<DeviceBuffer> allocate(int64_t bytes) override { return host_memory().allocate(bytes); }
  void copy(std::byte* to, const std::byte* from, int64_t n) override { host_memory().copy(to, from, n); }
  void clear(std::byte* at, int64_t n) override { host_memory().clear(at, n); }
  void read(std::byte* host, const std::byte* from, int64_t n) override {
    host_memory().copy(host, from, n);
    ++reads;
  }
  void write(std::byte* to, const std::byte* host, int64_t n) override { host_memory().copy(to, host, n); }
  bool host_visible() const override { return false; }

  int reads = 0;
};

/// Texts of 60 tokens by both ways, which must be the same. Returns how many rows were read for the second.
int rows_read(const SamplingParams& params, const std::function<float(std::mt19937&)>& logit, size_t banned = 0) {
  std::mt19937 bits(7);
  Sampler of_rows(params), of_best(params);
  std::vector<TokenId> ban(banned);
  std::iota(ban.begin(), ban.end(), 0);
  of_rows.ban(ban);
  of_best.ban(ban);
  CountedMemory memory;
  for (int i = 0; i < 60; ++i) {
    std::vector<float> row(kVocab);
    for (float& x : row) x = logit(bits);
    const BestTokens best = best_of(row);
    const Logits logits({reinterpret_cast<std::byte*>(row.data()), {&format_f32, {1, static_cast<int64_t>(kVocab)}}}, memory,
                        {&best, 1});
    const TokenId want = of_rows.pick(row), got = pick(of_best, logits, 0);
    EXPECT_EQ(got, want) << "token " << i;
    of_rows.accept(want);
    of_best.accept(want);
  }
  return memory.reads;
}

float normal(std::mt19937& bits) { return std::normal_distribution<float>(0, 3)(bits); }
float one_of_few(std::mt19937& bits) { return static_cast<float>(bits() % 40); }

TEST(Pick, NeedsNoRowsWhereTheBestTokensDo) {
  EXPECT_EQ(rows_read({.seed = 1}, normal), 0);
  EXPECT_EQ(rows_read({.temperature = 0, .seed = 1}, normal), 0);
  EXPECT_EQ(rows_read({.temperature = 0, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 1}, one_of_few), 0);
  EXPECT_EQ(rows_read({.top_k = 64, .seed = 1}, normal), 0);
  EXPECT_EQ(rows_read({.top_k = 64, .seed = 1}, one_of_few), 0);
  EXPECT_EQ(rows_read({.top_k = 40, .top_p = 0.9f, .xtc_probability = 0.5f, .seed = 1}, normal), 0);
  EXPECT_EQ(rows_read({.temperature = 1.3f, .top_k = 30, .samplers = {"temperature", "top_k"}, .seed = 1}, normal), 0);
}

TEST(Pick, NeedsNoRowsWhereTokensBecomeLessLikely) {
  EXPECT_EQ(
      rows_read({.top_k = 20, .repeat_penalty = 1.3f, .presence_penalty = 0.5f, .repeat_last_n = -1, .seed = 1}, normal), 0);
  EXPECT_EQ(rows_read({.top_k = 20, .logit_bias = {{3, -5}, {40, -100}}, .seed = 1}, normal), 0);
  EXPECT_EQ(rows_read({.top_k = 20, .seed = 1}, normal, 200), 0);
}

TEST(Pick, ReadsRowsWhereOtherTokensMayCount) {
  EXPECT_EQ(rows_read({.top_k = 65, .seed = 1}, normal), 60);
  EXPECT_EQ(rows_read({.top_k = 0, .seed = 1}, normal), 60);
  EXPECT_EQ(rows_read({.top_k = 20, .logit_bias = {{3, 5}}, .seed = 1}, normal), 60);
  EXPECT_EQ(rows_read({.top_k = 20, .repeat_penalty = 0.9f, .seed = 1}, normal), 60);
  EXPECT_EQ(rows_read({.mirostat = 2, .seed = 1}, normal), 60);
}

TEST(Pick, ReadsARowWhereTooManyTokensBecameLessLikely) {
  const int many = rows_read({.top_k = 40, .seed = 1}, normal, 1500);
  EXPECT_GT(many, 5);
  EXPECT_LT(many, 60);
  EXPECT_GT(rows_read({.top_k = 1, .seed = 1}, normal, kVocab - 1), 50);
  EXPECT_GT(rows_read({.top_k = 60, .presence_penalty = 1.0f, .repeat_last_n = -1, .seed = 1}, one_of_few), 0);
}

}  // namespace
}  // namespace skald::pick_test
