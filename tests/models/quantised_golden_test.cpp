// Golden models quantised: how far their logits are from those of the same weights dequantised, which are multiplied with
// unrounded activations. That is held to the error of quantising the weights. Random weights make this hard for experts:
// where two of them are as good, any rounding changes which one is taken. Over many tokens that weighs no more than the
// weights' own.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/cpu_backend.h"
#include "tests/models/golden.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/temp_dir.h"
#include "tools/quantize/quantize.h"

namespace skald::quantised_golden_test {
namespace {

using test::Golden;

class QuantisedGolden : public testing::TestWithParam<std::string> {
 protected:
  static constexpr int kPrompts = 24, kTokens = 160;

  std::vector<float> logits(const std::string& path) {
    const auto model = Golden::load_gguf(path);
    Runner runner(model->step_model(), backend_, {.n_ctx = kTokens, .type_k = "f32", .type_v = "f32"});
    std::vector<float> out;
    for (int i = 0; i < kPrompts; ++i) {
      std::vector<TokenId> ids = golden_.prompt_ids;  // some models want a prompt of a certain form
      const auto more = test::some_tokens(kTokens - std::ssize(ids), static_cast<uint64_t>(i), model->n_vocab());
      ids.insert(ids.end(), more.begin(), more.end());
      const std::vector<float> part = test::logits_of(runner, ids, kTokens, kTokens, model->prefix_length(ids));
      out.insert(out.end(), part.begin(), part.end());
    }
    return out;
  }

  std::string path(const std::string& type) const { return dir_.path(type + ".gguf"); }
  QuantizeReport quantize(const std::string& in, const std::string& type) const {
    return quantize_file({.in = in, .out = path(type), .spec = {.type = type, .allow_requantize = true}, .n_threads = 2},
                         {});
  }

  static double rms_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double squares = 0;
    for (size_t i = 0; i < a.size(); ++i) squares += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    return std::sqrt(squares / static_cast<double>(a.size()));
  }

  Golden golden_{test::data_dir() / "golden" / GetParam()};
  test::TempDir dir_;
  CpuBackend backend_{2, ""};
};

TEST_P(QuantisedGolden, IsNoFartherFromItsDequantisedSelfThanThatFromTheOriginal) {
  const std::string original = (golden_.folder / "model.gguf").string();
  const std::vector<float> want = logits(original);
  int types = 0;
  for (const char* type : {"Q8_0", "Q6_K", "Q4_K_S", "Q4_0"}) {
    if (quantize(original, type).fell_back > 0) continue;  // rows are no whole blocks
    quantize(path(type), "F32");
    const std::vector<float> got = logits(path(type)), exact = logits(path("F32"));
    const double cost = rms_difference(exact, want);
    EXPECT_GT(cost, 0) << type;
    EXPECT_LE(rms_difference(got, exact), 1.25 * cost) << type;
    EXPECT_LE(rms_difference(got, want), 1.6 * cost) << type;
    ++types;
  }
  if (types == 0) GTEST_SKIP() << "its rows are no whole blocks";
}

bool is_exact(const Golden& g) { return g.storage == "F32" || g.storage == "F16"; }

INSTANTIATE_TEST_SUITE_P(All, QuantisedGolden, testing::ValuesIn(test::golden_names(is_exact)),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace skald::quantised_golden_test
