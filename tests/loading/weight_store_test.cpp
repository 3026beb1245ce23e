// The weights that engines of one model share, and rows that were repacked.
#include "loading/weight_store.h"

#include <gtest/gtest.h>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/weights.h"
#include "loading/loaded_model.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/progress.h"

namespace skald {
namespace {

std::shared_ptr<const LoadedModel> load(FileBytes::How how) {
  const std::string path = (test::data_dir() / "golden/llama_mha_q8_0/model.gguf").string();
  return LoadedModel::from_gguf(Gguf::open(path, how), path);
}

std::shared_ptr<const DeviceWeights> weights_of(const LoadedModel& model, DeviceOptions options) {
  CpuBackend backend(1, {}, std::move(options));
  return backend.load(model.build_graph({1, 1}), *model.step_model().weights);
}

TEST(WeightStore, EnginesWithTheSameOptionsShareTheirWeights) {
  const auto model = load(FileBytes::How::kMap);
  test::Heard heard, again;
  const auto first = weights_of(*model, {.on_progress = heard.callback()});
  EXPECT_TRUE(heard.went_to_the_end());
  EXPECT_GT(heard.total(), model->weight_bytes() / 2);
  EXPECT_EQ(weights_of(*model, {.on_progress = again.callback()}), first);
  EXPECT_TRUE(again.nothing()) << "packed twice";
}

TEST(WeightStore, EnginesWithOtherOptionsHaveTheirOwn) {
  const auto model = load(FileBytes::How::kMap);
  const auto packed = weights_of(*model, {}), rows = weights_of(*model, {.repack = false});
  EXPECT_NE(packed, rows);
  EXPECT_EQ(rows->bytes(), model->weight_bytes());
}

TEST(WeightStore, RowsThatWereReadAndRepackedAreGoneByName) {
  const auto model = load(FileBytes::How::kRead);
  weights_of(*model, {});
  const Error e = test::error_of([&] { weights_of(*model, {.repack = false}); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_NE(std::string(e.what()).find(".weight: its rows were repacked"), std::string::npos) << e.what();
}

TEST(WeightStore, RowsThatWereReadServeAsTheyLieUntilTheyAreRepacked) {
  const auto model = load(FileBytes::How::kRead);
  EXPECT_EQ(weights_of(*model, {.repack = false})->bytes(), model->weight_bytes());
}

std::vector<std::byte> begin_of(const DeviceWeights& weights, std::string_view name) {
  const std::byte* rows = dynamic_cast<const CpuWeights&>(weights).place(name).rows;
  return {rows, rows + 16};
}

TEST(WeightStore, RowsThatOneEngineReadsStayWhenAnotherRepacksThem) {
  const auto model = load(FileBytes::How::kRead);
  const auto rows = weights_of(*model, {.repack = false});
  const std::vector<std::byte> before = begin_of(*rows, "blk.0.ffn_down.weight");
  const auto packed = weights_of(*model, {});
  EXPECT_EQ(begin_of(*rows, "blk.0.ffn_down.weight"), before);
}

// The first engine repacked and gave the rows back: it is no reader of them any more.
TEST(WeightStore, RowsWithoutReadersGoBackEachTime) {
  const auto model = load(FileBytes::How::kRead);
  const auto rows = weights_of(*model, {.repack = false});
  const auto packed = weights_of(*model, {}), packed_too = weights_of(*model, {.numa = "isolate"});
  const WeightSource& source = *model->step_model().weights;
  source.release("blk.0.ffn_down.weight");  // of the first engine, as if it repacked
  EXPECT_EQ(test::error_of([&] { source.place("blk.0.ffn_down.weight"); }).code(), Errc::kUnsupported);
}

}  // namespace
}  // namespace skald
