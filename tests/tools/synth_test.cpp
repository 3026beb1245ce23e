// Made-up models: the list of shapes, what is unknown, and one small model whose size is known.
#include "tools/synth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST(Synth, KnowsTheUsualShapes) {
  EXPECT_THAT(shape_names(), AllOf(Contains("llama-2-7b"), Contains("llama-3.2-1b"), Contains("qwen2.5-0.5b")));
}

TEST(Synth, NamesAnUnknownShapeAndTheKnownOnes) {
  const Error e = test::error_of([] { synth_model("llama-9", "q8_0"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("'llama-9'"), HasSubstr("llama-2-7b")));
}

TEST(Synth, NamesAnUnknownType) {
  for (const char* type : {"q99", "", "i32"}) {
    const Error e = test::error_of([&] { synth_model("qwen2.5-0.5b", type); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << type;
    EXPECT_THAT(e.what(), HasSubstr("'" + std::string(type) + "'"));
  }
}

TEST(Synth, MakesAModelOfTheRealSize) {
  std::vector<double> progress;
  const auto model = synth_model("qwen2.5-0.5b", "q4_0", {}, [&](double share) { progress.push_back(share); });
  EXPECT_EQ(model->arch(), "qwen2");
  EXPECT_EQ(model->name(), "qwen2.5-0.5b");
  EXPECT_EQ(model->main_format(), "q4_0");
  EXPECT_EQ(model->n_vocab(), 151936);
  EXPECT_EQ(model->n_parameters(), 494032768);  // as its authors count
  EXPECT_TRUE(std::ranges::is_sorted(progress));
  EXPECT_EQ(progress.back(), 1.0);
}

}  // namespace
}  // namespace skald
