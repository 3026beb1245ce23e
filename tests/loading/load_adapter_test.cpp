#include "loading/load_adapter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/edited_golden.h"
#include "tests/support/errors.h"
#include "tests/support/random_adapter.h"
#include "tests/support/temp_dir.h"

namespace skald::load_adapter_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LoadAdapter : public testing::Test {
 protected:
  static std::shared_ptr<const LoadedModel> golden(const char* name) {
    return test::Golden(test::data_dir() / "golden" / name).load();
  }
  std::string write(const Adapter& adapter) const {
    write_gguf_adapter(adapter, dir_.path("a.gguf"));
    return dir_.path("a.gguf");
  }
  std::string error(const Adapter& adapter) const {
    return test::error_of([&] { load_adapter(*model_, write(adapter)); }).what();
  }
  // Of this tensor alone.
  static Adapter only(const std::string& tensor, const Site& site, const std::string& arch = "llama") {
    Adapter out;
    out.arch = arch;
    out.changes.emplace(tensor, test::random_change(tensor, site, 0.1f, 1));
    return out;
  }

  std::shared_ptr<const LoadedModel> model_ = golden("llama_gqa");
  test::TempDir dir_;
};

TEST_F(LoadAdapter, GivesTheFilesMatrices) {
  const Adapter made = test::random_adapter(*model_, 0.1f, 1);
  const auto loaded = load_adapter(*model_, write(made));
  ASSERT_EQ(loaded->changes.size(), made.changes.size());
  const auto& [name, change] = *made.changes.begin();
  EXPECT_EQ(loaded->changes.at(name).a.values(), change.a.values());
  EXPECT_EQ(loaded->sum(), made.sum());
}

TEST_F(LoadAdapter, DividesByNumbersThatTheModelMultipliesItsProductsBy) {
  test::EditedGolden edited("llama_gqa");
  const float four = 4;
  const auto bytes = std::as_bytes(std::span(&four, 1));
  edited.tensors["blk.0.attn_q.scale"] = {Shape{1}, format_f32.id, {bytes.begin(), bytes.end()}};
  const Adapter made = test::random_adapter(*model_, 0.1f, 1);
  const auto loaded = load_adapter(*edited.load(), write(made));
  EXPECT_FLOAT_EQ(loaded->changes.at("blk.0.attn_q.weight").factor, 0.75f / 4);
  EXPECT_FLOAT_EQ(loaded->changes.at("blk.1.attn_q.weight").factor, 0.75f);
}

TEST_F(LoadAdapter, RefusesAnotherArchitecture) {
  EXPECT_THAT(error(test::random_adapter(*golden("qwen2"), 0.1f, 1)), AllOf(HasSubstr("a.gguf"), HasSubstr("qwen2")));
}

TEST_F(LoadAdapter, RefusesTensorsThatTheModelLacks) {
  EXPECT_THAT(error(only("blk.9.attn_q.weight", {Shape{256, 256}})), HasSubstr("blk.9.attn_q.weight: the model has no"));
}

TEST_F(LoadAdapter, RefusesWeightsThatNoRowIsMultipliedBy) {
  EXPECT_THAT(error(only("blk.0.attn_norm.weight", {Shape{256, 256}})),
              AllOf(HasSubstr("blk.0.attn_norm.weight"), HasSubstr("only matrices")));
}

TEST_F(LoadAdapter, RefusesOtherShapesNamingBoth) {
  EXPECT_THAT(error(only("blk.0.attn_q.weight", {Shape{256, 128}})),
              AllOf(HasSubstr("blk.0.attn_q.weight: lora_a is (3, 128)"), HasSubstr("wants (3, 256)")));
}

TEST_F(LoadAdapter, RefusesInvocationsOutsideOfTheVocabulary) {
  Adapter made = test::random_adapter(*model_, 0.1f, 1);
  made.invocation = {1, 1'000'000};
  EXPECT_THAT(error(made), HasSubstr("1000000 is outside the vocabulary"));
}

TEST_F(LoadAdapter, RefusesAModelInItsPlace) {
  const std::string path = (test::data_dir() / "golden/llama_gqa/model.gguf").string();
  EXPECT_THAT(test::error_of([&] { load_adapter(*model_, path); }).what(),
              AllOf(HasSubstr(path), HasSubstr("want an adapter")));
}

}  // namespace
}  // namespace skald::load_adapter_test
