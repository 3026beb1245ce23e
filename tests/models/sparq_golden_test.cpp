// Logits of sparse decoding on every tier against those of its definition in double precision.
#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "kernels/api/tier.h"
#include "tests/models/golden.h"
#include "tests/support/close_to.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/tiers.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

struct SparqCase {
  explicit SparqCase(const fs::path& file) {
    const auto json = nlohmann::json::parse(std::ifstream(file));
    model = json.at("model");
    ids = json.at("ids").get<std::vector<TokenId>>();
    decode_from = json.at("decode_from");
    params = {.k1 = json.at("k1"),
              .k2 = json.at("k2"),
              .local = json.at("local"),
              .mean = json.at("mean").get<bool>(),
              .choice = SparqChoice::kMagnitude,
              .index = "f16"};
    for (const auto& row : json.at("logits"))
      for (const float x : row) logits.push_back(x);
  }
  std::string model;
  std::vector<TokenId> ids;
  int64_t decode_from = 0;
  SparqParams params;
  std::vector<float> logits;  // (ids from decode_from on, n_vocab)
};

std::vector<fs::path> cases_of(const std::string& model, const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(model)) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

class SparqGolden : public testing::TestWithParam<const Tier*> {
 protected:
  void SetUp() override {
    if (!GetParam()->supported()) GTEST_SKIP() << "this CPU lacks " << GetParam()->name;
  }

  static void agrees(const fs::path& file, const fs::path& model) {
    const SparqCase c(file);
    const auto loaded = test::Golden::load_gguf(model);
    CpuBackend backend(2, GetParam()->name);
    Runner runner(loaded->step_model(), backend, {.n_ctx = 256, .type_k = "f32", .type_v = "f32", .sparq = c.params});
    const std::vector<float> all = test::logits_of(runner, c.ids, 512, c.decode_from);
    const auto from = static_cast<size_t>(c.decode_from * loaded->n_vocab());
    EXPECT_TRUE(test::close_to(std::span(all).subspan(from), c.logits, 2e-2)) << file.filename();
  }
};

TEST_P(SparqGolden, LogitsOfARandomModel) {
  const std::vector<fs::path> files = cases_of("llama_mha", test::data_dir() / "sparq");
  ASSERT_EQ(files.size(), 2u);
  for (const fs::path& file : files) agrees(file, test::data_dir() / "golden/llama_mha/model.gguf");
}

TEST_P(SparqGolden, LogitsOfATrainedModel) {
  const std::vector<fs::path> files = cases_of("stories260K", test::shared_dir() / "golden/sparq");
  const fs::path model = test::shared_dir() / "golden/stories260K/model.gguf";
  if (files.empty() || !fs::exists(model)) GTEST_SKIP() << "no " << model << " with cases of it";
  for (const fs::path& file : files) agrees(file, model);
}

INSTANTIATE_TEST_SUITE_P(All, SparqGolden, testing::ValuesIn(tiers()), test::tier_name);

}  // namespace
}  // namespace skald
