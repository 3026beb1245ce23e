// Operations that run together give the bits that they give one by one, in fewer launches.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/gpu/row_forms.h"
#include "quant/registry.h"
#include "tests/backend/gpu/session.h"
#include "tests/support/close_to.h"

namespace skald::gpu_fusion_test {
namespace {

using gpu::FormPlan, gpu::FormUse, gpu::kCodedForm, gpu::kF16Form, gpu::plan_forms, test::Session, test::SmallModel;

// Widths that fill neither units of 128 columns nor tiles of 32 where a format allows it.
SmallModel odd(const Format& format) {
  SmallModel m = SmallModel::of(format);
  if (format.block == 1) m.d_model = 90, m.d_ff = 150;
  return m;
}

void run_steps(Session& s) {
  s.step({{0, 5}, {1, 3}});
  s.steps(2, {{0, 1}, {1, 1}});
  s.step({{2, 37}});
  s.step({{0, 4}, {2, 1}, {1, 13}});
}

class Fused : public testing::TestWithParam<std::string> {};

TEST_P(Fused, StepsGiveTheBitsOfTheirOperations) {
  for (const char* arch : {"llama", "qwen2", "qwen3", "gemma2", "phi3", "qwen3moe", "gpt2", "starcoder2"}) {
    SmallModel model = odd(*find_format(GetParam()));
    model.arch = arch;
    model.window = 16;
    Session fused(model), plain(model, false);
    run_steps(fused);
    run_steps(plain);
    EXPECT_TRUE(test::same_bits(fused.logits(), plain.logits())) << arch;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Fused, testing::Values("f32", "f16", "bf16", "q8_0", "q4_k"),
                         [](const auto& info) { return info.param; });

struct OfCache {
  const char *type, *layout;
  bool sparse = false;
};
constexpr OfCache kCaches[] = {{"f32", "rows"},  {"f16", "rows"},  {"f16", "dims"},      {"bf16", "rows"},
                               {"q8_0", "rows"}, {"q4_0", "rows"}, {"f16", "rows", true}};

TEST(Fusion, StoresWhatOperationsStoreOneByOne) {
  for (const OfCache& c : kCaches)
    for (const char* arch : {"llama", "qwen2"}) {
      SmallModel model = SmallModel::of(*find_format("q8_0"));
      model.arch = arch;
      model.d_k = model.d_v = 64;
      CacheOptions cache{.type_k = c.type, .type_v = c.type, .layout = c.layout};
      if (c.sparse) cache.sparq.ratio = 8;
      Session fused(model, true, cache), plain(model, false, cache);
      for (Session* s : {&fused, &plain}) {
        run_steps(*s);
        s->step({{0, 200}});
        s->steps(3, {{0, 1}, {2, 1}});
      }
      EXPECT_TRUE(test::same_bits(fused.logits(), plain.logits())) << c.type << ", " << c.layout << ", " << arch;
    }
}

// What a layer more adds to a recording.
int64_t launches_of_a_layer(SmallModel model, int64_t rows) {
  int64_t launches[2];
  for (int64_t more : {0, 1}) {
    model.n_layers = 2 + more;
    Session s(model);
    s.step({{0, rows}});
    launches[more] = s.counts().launches;
  }
  return launches[1] - launches[0];
}

TEST(Fusion, AddsBiasesInTheLaunchOfProducts) {
  SmallModel model = SmallModel::of(*find_format("q8_0"));
  model.arch = "qwen2";
  EXPECT_EQ(launches_of_a_layer(model, 1), 10);
}

TEST(Fusion, LeavesALayerFewLaunches) {
  for (const char* format : {"f16", "q8_0", "q4_k"})
    for (const int64_t rows : {1, 37})
      EXPECT_EQ(launches_of_a_layer(SmallModel::of(*find_format(format)), rows), 10) << format;
}

FormUse multiplies(int value, gpu::FormSet wanted, int64_t columns = 64) {
  return {.value = value, .columns = columns, .wanted = wanted};
}
FormUse makes(int value, int64_t columns = 64) { return {.makes = value, .columns_of_made = columns}; }

TEST(RowForms, AreMadeByWhoWritesRowsThatAreMultipliedNext) {
  const std::vector<FormUse> uses = {makes(1), multiplies(1, kCodedForm), {}, multiplies(1, kF16Form),
                                     makes(2), multiplies(3, kCodedForm)};
  const std::vector<FormPlan> plans = plan_forms(uses);
  EXPECT_EQ(plans[0].make, kCodedForm | kF16Form);
  EXPECT_EQ(plans[1].made, kCodedForm | kF16Form);
  EXPECT_EQ(plans[3].made, kCodedForm | kF16Form);
  EXPECT_EQ(plans[4].make, 0u);
  EXPECT_EQ(plans[5].made, 0u);
}

TEST(RowForms, AreLostWhereOthersAreMadeInBetween) {
  const std::vector<FormUse> uses = {makes(1), multiplies(2, kCodedForm), multiplies(1, kCodedForm),
                                     multiplies(1, kF16Form)};
  const std::vector<FormPlan> plans = plan_forms(uses);
  EXPECT_EQ(plans[0].make, 0u);
  EXPECT_EQ(plans[2].made, 0u);
  EXPECT_EQ(plans[3].made, kCodedForm);
}

// Experts see a row as one for each choice.
TEST(RowForms, OfOtherColumnsAreOthers) {
  const std::vector<FormUse> uses = {makes(1), multiplies(1, kCodedForm, 32), multiplies(1, kCodedForm)};
  const std::vector<FormPlan> plans = plan_forms(uses);
  EXPECT_EQ(plans[0].make, 0u);
  EXPECT_EQ(plans[2].made, 0u);
}

// An operation may multiply one value and write the next.
TEST(RowForms, MayFollowThoseThatTheirMakerRead) {
  FormUse both = multiplies(1, kCodedForm);
  both.makes = 2;
  both.columns_of_made = 64;
  const std::vector<FormUse> uses = {makes(1), both, multiplies(2, kCodedForm), multiplies(1, kCodedForm)};
  const std::vector<FormPlan> plans = plan_forms(uses);
  EXPECT_EQ(plans[0].make, kCodedForm);
  EXPECT_EQ(plans[1].made, kCodedForm);
  EXPECT_EQ(plans[1].make, kCodedForm);
  EXPECT_EQ(plans[2].made, kCodedForm);
  EXPECT_EQ(plans[3].made, 0u);
}

}  // namespace
}  // namespace skald::gpu_fusion_test
