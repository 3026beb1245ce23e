// Sequences that go back and forth: rows taken back, forks, against sequences that never had them. Bit for bit.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "stepping/runner.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"

namespace skald {
namespace {

using test::Golden;

constexpr int64_t kRollback = 8;

class Rollback : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  std::vector<float> step(KvSequence& s, std::span<const TokenId> tokens, bool decode) {
    const StepItem item{&s, tokens, 1, decode};
    const Logits y = runner_.run({&item, 1});
    return {y.row(0).begin(), y.row(0).end()};
  }
  std::vector<float> decode(KvSequence& s, std::span<const TokenId> tokens) {
    std::vector<float> logits;
    for (const TokenId& token : tokens) logits = step(s, {&token, 1}, true);
    return logits;
  }
  KvSequence with_prompt(int64_t n) {
    KvSequence s = runner_.new_sequence();
    step(s, std::span(ids()).first(static_cast<size_t>(n)), false);
    return s;
  }
  const std::vector<TokenId>& ids() const { return golden_.long_ids; }

  Golden golden_{test::data_dir() / "golden" / std::get<0>(GetParam())};
  std::shared_ptr<const LoadedModel> model_ = golden_.load();
  CpuBackend backend_{2, ""};
  const std::string& type_ = std::get<1>(GetParam());
  Runner runner_{model_->step_model(),
                 backend_,
                 {.n_ctx = 256, .type_k = type_, .type_v = type_[0] == 'k' ? "f16" : type_, .rollback = kRollback},
                 {.n_parallel = 3}};
};

TEST_P(Rollback, RowsTakenBackAreAsIfTheyHadNeverBeen) {
  for (const int64_t prompt : {20, 64, 100, 131}) {
    KvSequence plain = with_prompt(prompt);
    const std::vector<float> want = decode(plain, std::span(ids()).subspan(static_cast<size_t>(prompt), 3));
    for (const int64_t rows : {1, 5, 8}) {
      KvSequence s = with_prompt(prompt);
      decode(s, std::span(ids()).last(static_cast<size_t>(rows)));
      ASSERT_TRUE(s.truncate(prompt)) << prompt << ", back by " << rows;
      EXPECT_TRUE(test::same_bits(decode(s, std::span(ids()).subspan(static_cast<size_t>(prompt), 3)), want))
          << prompt << ", back by " << rows;
    }
  }
}

TEST_P(Rollback, FurtherThanPromisedIsRightOrRefused) {
  KvSequence plain = with_prompt(90);
  const std::vector<float> want = decode(plain, std::span(ids()).subspan(90, 2));
  KvSequence s = with_prompt(90);
  decode(s, std::span(ids()).subspan(120, 70));
  const int64_t length = s.length();
  if (s.truncate(90))
    EXPECT_TRUE(test::same_bits(decode(s, std::span(ids()).subspan(90, 2)), want));
  else
    EXPECT_EQ(s.length(), length);
}

TEST_P(Rollback, ForksGoOnByThemselves) {
  for (const int64_t prompt : {20, 64, 100}) {
    KvSequence a = with_prompt(prompt);
    KvSequence b = a.fork();
    const int64_t pages = runner_.kv().pool(0).taken();
    const auto one = std::span(ids()).subspan(140, 4), two = std::span(ids()).subspan(150, 4);
    const std::vector<float> of_a = decode(a, one);
    EXPECT_LE(runner_.kv().pool(0).taken(), pages + 1) << "at most the last page is copied";
    const std::vector<float> of_b = decode(b, two);
    KvSequence plain_a = with_prompt(prompt);
    EXPECT_TRUE(test::same_bits(of_a, decode(plain_a, one))) << prompt;
    plain_a.clear();
    KvSequence plain_b = with_prompt(prompt);
    EXPECT_TRUE(test::same_bits(of_b, decode(plain_b, two))) << prompt;
  }
  for (size_t g = 0; g < runner_.kv().spec().groups.size(); ++g) EXPECT_EQ(runner_.kv().pool(g).taken(), 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Rollback,
                         testing::Combine(testing::Values("llama_gqa", "mistral", "gemma3", "gptoss"),
                                          testing::Values("f32", "f16", "q8_0", "kc8", "kc4")),
                         [](const auto& info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param); });

// Sparse decoding with the mean value keeps sums of values: a sum that is made again must be of the same values.
TEST(RollbackOfSums, IsRightOrRefused) {
  int right = 0, refused = 0;
  for (const char* name : {"llama_gqa", "mistral", "gemma3", "gptoss"}) {
    const Golden golden(test::data_dir() / "golden" / name);
    const auto model = golden.load();
    CpuBackend backend(2, "");
    SparqParams sparq;
    sparq.k1 = 8;
    sparq.k2 = 16;
    sparq.mean = true;
    Runner runner(model->step_model(), backend, {.n_ctx = 256, .rollback = kRollback, .sparq = sparq}, {.n_parallel = 2});
    const auto step = [&](KvSequence& s, std::span<const TokenId> tokens, bool decode) {
      const StepItem item{&s, tokens, 1, decode};
      const Logits y = runner.run({&item, 1});
      return std::vector<float>(y.row(0).begin(), y.row(0).end());
    };
    const std::span<const TokenId> ids = golden.long_ids;
    for (const size_t prompt : {20, 64, 100, 131}) {
      KvSequence plain = runner.new_sequence(), s = runner.new_sequence();
      for (KvSequence* each : {&plain, &s}) step(*each, ids.first(prompt), false);
      for (const TokenId& token : ids.last(5)) step(s, {&token, 1}, true);
      if (!s.truncate(static_cast<int64_t>(prompt))) {
        ++refused;
        continue;
      }
      ++right;
      const TokenId* next = &ids[prompt];
      EXPECT_TRUE(test::same_bits(step(s, {next, 1}, true), step(plain, {next, 1}, true))) << name << ", " << prompt;
    }
  }
  EXPECT_GT(right, 4);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace skald
