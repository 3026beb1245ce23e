// Calibrations: what is written is read, a model takes its own, and files that do not fit are refused by name.
#include "loading/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "loading/loaded_model.h"
#include "skald/skald.h"
#include "tests/loading/tiny_llama.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using test::TinyLlama;
using testing::AllOf;
using testing::HasSubstr;

constexpr int64_t kKvHeads = 2, kHeadSize = TinyLlama::kModel / 2;

// Keys n times as large, queries as much smaller.
LayerBasis scaled(float n) {
  LayerBasis out{"blk.0.", kKvHeads, kHeadSize, std::vector<float>(kKvHeads * kHeadSize * kHeadSize), {}};
  out.queries = out.keys;
  for (size_t head = 0; head < kKvHeads; ++head)
    for (size_t i = 0; i < kHeadSize; ++i) {
      const size_t at = (head * kHeadSize + i) * kHeadSize + i;
      out.keys[at] = n;
      out.queries[at] = 1 / n;
    }
  return out;
}

class Calibrations : public testing::Test {
 protected:
  Calibrations() { llama_.write(model_); }

  void write(const LayerBasis& basis) {
    write_calibration(file_, ModelMark(Model::load(model_).loaded()->weights()), {.model = "tiny", .dataset = "text"},
                      std::span(&basis, 1));
  }
  std::shared_ptr<const LoadedModel> load() { return Model::load(model_, {.calibration = file_}).loaded(); }
  Error error_with(const LayerBasis& basis) {
    write(basis);
    return test::error_of([&] { load(); });
  }

  test::TempDir dir_;
  TinyLlama llama_;
  std::string model_ = dir_.path("tiny.gguf"), file_ = dir_.path("tiny.skald-index");
};

TEST_F(Calibrations, BecomeInputsOfGraphsOverAnIndexAlone) {
  write(scaled(2));
  const auto model = load();
  const auto has = [&](bool indexed) {
    return model->build_graph({.indexed = indexed}).find(Source::kWeight, "blk.0.attn_index.keys") >= 0;
  };
  EXPECT_TRUE(has(true));
  EXPECT_FALSE(has(false));
}

TEST_F(Calibrations, AreAPartOfWhatModelsAreToldApartBy) {
  const Sha256Sum without = Model::load(model_).loaded()->fingerprint();
  write(scaled(2));
  const Sha256Sum two = load()->fingerprint();
  LayerBasis other = scaled(2);
  // A number in the middle, which no sample of the bytes would meet.
  const size_t at = (kHeadSize + 7) * kHeadSize + 7;
  other.keys[at] = 4;
  other.queries[at] = 0.25f;
  write(other);
  EXPECT_NE(two, without);
  EXPECT_NE(load()->fingerprint(), two);
}

TEST_F(Calibrations, OfAnotherModelAreRefusedByName) {
  write(scaled(2));
  TinyLlama other;
  other.set_first("output_norm.weight", 0.75f);
  other.write(model_);
  EXPECT_THAT(test::error_of([&] { load(); }).what(),
              AllOf(HasSubstr(file_), HasSubstr("another model"), HasSubstr("tiny")));
}

TEST_F(Calibrations, ThatAreNoneAreRefused) {
  llama_.write(file_);
  EXPECT_THAT(test::error_of([&] { load(); }).what(), AllOf(HasSubstr(file_), HasSubstr("no calibration")));
}

TEST_F(Calibrations, WithOtherSizesThanTheModelsAreRefused) {
  LayerBasis basis{"blk.0.", 1, 2, {1, 0, 0, 1}, {1, 0, 0, 1}};
  EXPECT_THAT(error_with(basis).what(), HasSubstr("tensor blk.0.attn_index"));
}

TEST_F(Calibrations, WithNumbersThatAreNoneAreRefused) {
  LayerBasis basis = scaled(2);
  basis.queries[5] = NAN;
  EXPECT_THAT(error_with(basis).what(), AllOf(HasSubstr(file_), HasSubstr("blk.0.attn_index.queries")));
}

TEST_F(Calibrations, WhoseMatricesAreNoInversesAreRefused) {
  LayerBasis basis = scaled(2);
  basis.keys[1] = 0.5f;
  EXPECT_THAT(error_with(basis).what(), AllOf(HasSubstr(file_), HasSubstr("KV head 0"), HasSubstr("inverse")));
}

// Devices give the rows of the model's file back once they have them: a calibration has a file of its own.
TEST_F(Calibrations, AreReadByDevices) {
  write(scaled(2));
  const Model model = Model::load(model_, {.calibration = file_});
  EngineOptions options{.device = {.device = "simt"}, .cache = {.n_ctx = 64}};
  options.cache.sparq.ratio = 8;
  Request request;
  request.prompt = {1, 2, 3};
  request.max_tokens = 2;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Engine(model, options).generate(request).tokens.size(), 2);
}

TEST_F(Calibrations, OfLayersThatTheModelLacksAreToldOf) {
  LayerBasis basis = scaled(2);
  basis.layer = "blk.7.";
  write(basis);
  testing::internal::CaptureStderr();
  load();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("blk.7.attn_index.keys is not used"));
}

TEST_F(Calibrations, InTheModelsFileLackingAHalfAreRefused) {
  llama_.set("blk.0.attn_index.keys", Shape{kKvHeads, kHeadSize, kHeadSize});
  llama_.write(model_);
  EXPECT_THAT(test::error_of([&] { Model::load(model_); }).what(), HasSubstr("has no blk.0.attn_index.queries"));
}

}  // namespace
}  // namespace skald
