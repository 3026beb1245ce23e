// Control vectors: files add up in the layers of a range, a model is told apart by them, and files that do not fit are
// refused by name.
#include "loading/control_vectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "loading/loaded_model.h"
#include "skald/skald.h"
#include "stepping/runner.h"
#include "tests/loading/tiny_llama.h"
#include "tests/support/close_to.h"
#include "tests/support/errors.h"
#include "tests/support/loaded_small_model.h"
#include "tests/support/temp_dir.h"

namespace skald::control_vectors_test {
namespace {

using test::TinyLlama;
using testing::AllOf;
using testing::HasSubstr;

constexpr int64_t kLayers = 4, kColumns = TinyLlama::kModel;
const std::vector<TokenId> kTokens = {1, 7, 3, 20, 11};

std::vector<float> direction(float size) {
  std::vector<float> out(static_cast<size_t>(kColumns));
  for (size_t i = 0; i < out.size(); ++i) out[i] = size * (static_cast<float>(i % 7) - 3);
  return out;
}

class ControlVectors : public testing::Test {
 protected:
  ControlVectors() {
    llama_.write(model_);
    out_.meta.set("general.architecture", std::string("controlvector"));
    out_.meta.set("controlvector.model_hint", std::string("llama"));
  }

  // Writes a file with these tensors, each for a layer.
  std::string write(const std::string& name, const std::vector<std::pair<std::string, std::vector<float>>>& tensors) {
    out_.meta.set("controlvector.layer_count", static_cast<uint32_t>(tensors.size()));
    GgufWriter writer = out_;
    for (const auto& [tensor, values] : tensors)
      writer.add_tensor(tensor, Shape{std::ssize(values)}, TinyLlama::kF32, std::as_bytes(std::span(values)));
    writer.write(dir_.path(name));
    return dir_.path(name);
  }
  std::string write_one(int64_t layer, float size, const std::string& name = "vector.gguf") {
    return write(name, {{fmt::format("direction.{}", layer), direction(size)}});
  }

  std::shared_ptr<const LoadedModel> load(std::vector<ControlVector> vectors, LayerRange layers = {}) const {
    return Model::load(model_, {.control_vectors = std::move(vectors), .control_layers = layers}).loaded();
  }
  Error error(std::vector<ControlVector> vectors, LayerRange layers = {}) const {
    return test::error_of([&] { load(std::move(vectors), layers); });
  }
  static std::vector<float> logits(const LoadedModel& model) {
    CpuBackend backend(2, "");
    Runner runner(model.step_model(), backend, {.n_ctx = 64, .type_k = "f32", .type_v = "f32"});
    return test::logits_of(runner, kTokens, 3, 3);
  }

  // The same model whose layers have what is added as a bias of their last product.
  std::vector<float> logits_with_bias(const std::vector<std::pair<int64_t, std::vector<float>>>& biases) const {
    TinyLlama biased = llama_;
    for (const auto& [layer, bias] : biases) biased.set(fmt::format("blk.{}.ffn_down.bias", layer), bias);
    const std::string path = dir_.path("biased.gguf");
    biased.write(path);
    return logits(*Model::load(path).loaded());
  }
  std::vector<float> plain_logits() const { return logits(*load({})); }

  test::TempDir dir_;
  TinyLlama llama_{kLayers};
  std::string model_ = dir_.path("tiny.gguf");
  GgufWriter out_;
};

constexpr double kRounding = 1e-4;

TEST_F(ControlVectors, AreAddedAfterTheLayersOfTheirNumbers) {
  const std::string file = write("vectors.gguf", {{"direction.1", direction(0.1f)}, {"direction.3", direction(-0.2f)}});
  const std::vector<float> got = logits(*load({{file}}));
  EXPECT_TRUE(test::close_to(got, logits_with_bias({{1, direction(0.1f)}, {3, direction(-0.2f)}}), kRounding));
  EXPECT_FALSE(test::close_to(got, plain_logits(), 1e-2));
}

TEST_F(ControlVectors, AreMultipliedByTheScaleOfTheirFile) {
  EXPECT_TRUE(
      test::close_to(logits(*load({{write_one(2, 0.1f), -1.5f}})), logits_with_bias({{2, direction(-0.15f)}}), kRounding));
}

TEST_F(ControlVectors, OfSeveralFilesAddUp) {
  const std::vector<ControlVector> files = {
      {write_one(1, 0.1f, "a.gguf")}, {write_one(1, 0.05f, "b.gguf"), 2}, {write_one(2, 0.1f, "c.gguf")}};
  EXPECT_TRUE(
      test::close_to(logits(*load(files)), logits_with_bias({{1, direction(0.2f)}, {2, direction(0.1f)}}), kRounding));
}

TEST_F(ControlVectors, OutsideOfTheRangeAreLeftOut) {
  const std::string file =
      write("vectors.gguf",
            {{"direction.1", direction(0.1f)}, {"direction.2", direction(0.2f)}, {"direction.3", direction(0.3f)}});
  const auto with = [&](int64_t first, int64_t last) { return logits(*load({{file}}, {first, last})); };
  EXPECT_TRUE(test::close_to(with(2, 2), logits_with_bias({{2, direction(0.2f)}}), kRounding));
  EXPECT_TRUE(test::close_to(with(2, 99), logits_with_bias({{2, direction(0.2f)}, {3, direction(0.3f)}}), kRounding));
  EXPECT_TRUE(test::close_to(with(0, 1), logits_with_bias({{1, direction(0.1f)}}), kRounding));
  EXPECT_EQ(with(0, 0), logits(*load({{file}})));
}

TEST_F(ControlVectors, TimesZeroLeaveTheModelAsItIs) {
  const auto model = load({{write_one(1, 0.1f), 0}});
  EXPECT_EQ(logits(*model), plain_logits());
  EXPECT_EQ(model->fingerprint(), load({})->fingerprint());
}

TEST_F(ControlVectors, AreAPartOfWhatModelsAreToldApartBy) {
  const std::string file = write("vectors.gguf", {{"direction.1", direction(0.1f)}, {"direction.2", direction(0.2f)}});
  std::set<Sha256Sum> sums = {load({})->fingerprint(), load({{file}})->fingerprint(), load({{file, 2}})->fingerprint(),
                              load({{file}}, {1, 1})->fingerprint(), load({{file}}, {2, 2})->fingerprint()};
  std::vector<float> other = direction(0.1f);
  other[17] += 1;  // which no sample of the bytes would meet
  sums.insert(load({{write("other.gguf", {{"direction.1", other}, {"direction.2", direction(0.2f)}})}})->fingerprint());
  EXPECT_EQ(sums.size(), 6u);
}

// An engine may give the rows of a model back once it has repacked them: those of vectors stay.
TEST_F(ControlVectors, AreReadByEveryEngineOfAModel) {
  const Model model = Model::load(model_, {.mmap = false, .control_vectors = {{write_one(1, 0.1f)}}});
  Request request;
  request.prompt = kTokens;
  request.max_tokens = 4;
  request.sampling.temperature = 0;
  const std::vector<TokenId> first = Engine(model, {.cache = {.n_ctx = 64}}).generate(request).tokens;
  EXPECT_EQ(first.size(), 4u);
  EXPECT_EQ(Engine(model, {.cache = {.n_ctx = 64}}).generate(request).tokens, first);
}

TEST_F(ControlVectors, ForAnotherArchitectureAreTakenWithAWarning) {
  out_.meta.set("controlvector.model_hint", std::string("mistral"));
  const std::string file = write_one(1, 0.1f);
  testing::internal::CaptureStderr();
  load({{file}});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(file), HasSubstr("model_hint is \"mistral\""), HasSubstr("llama")));
}

TEST_F(ControlVectors, ThatAreModelsAreRefused) {
  EXPECT_THAT(error({{model_}}).what(),
              AllOf(HasSubstr(model_ + ": "), HasSubstr("general.architecture is \"llama\": want controlvector")));
}

TEST_F(ControlVectors, OfLayersThatTheModelLacksAreRefused) {
  for (const char* tensor : {"direction.0", "direction.4", "direction.-1", "direction.99999999999999999999", "direction.",
                             "direction.x", "direction.1.weight", "dir", "direction"}) {
    const Error e = error({{write("bad.gguf", {{tensor, direction(0.1f)}})}});
    EXPECT_EQ(e.code(), Errc::kBadFile) << tensor;
    EXPECT_THAT(e.what(), AllOf(HasSubstr("bad.gguf"), HasSubstr(fmt::format("tensor {}:", tensor))));
  }
}

TEST_F(ControlVectors, OfAnotherWidthAreRefused) {
  const Error e = error({{write("bad.gguf", {{"direction.1", std::vector<float>(31, 0.5f)}})}});
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("bad.gguf: tensor direction.1: want f32 (32)"), HasSubstr("f32 (31)")));
}

TEST_F(ControlVectors, OfOtherTypesAndRanksAreRefused) {
  const std::vector<std::byte> bytes(4 * static_cast<size_t>(kColumns));
  for (const auto& [shape, type] : {std::pair(Shape{1, kColumns}, 0u), std::pair(Shape{2 * kColumns}, 1u)}) {
    GgufWriter writer = out_;
    writer.add_tensor("direction.2", shape, type, bytes);
    writer.write(dir_.path("bad.gguf"));
    EXPECT_THAT(error({{dir_.path("bad.gguf")}}).what(),
                AllOf(HasSubstr("bad.gguf"), HasSubstr("tensor direction.2: want f32 (32)")));
  }
}

TEST_F(ControlVectors, WithNumbersThatAreNoneAreRefused) {
  for (const float bad : {NAN, INFINITY}) {
    std::vector<float> values = direction(1);
    values[9] = bad;
    EXPECT_THAT(error({{write("bad.gguf", {{"direction.1", values}})}}).what(),
                AllOf(HasSubstr("bad.gguf"), HasSubstr("direction.1")));
  }
  const std::string large = write("large.gguf", {{"direction.1", std::vector<float>(static_cast<size_t>(kColumns), 1e30f)}});
  EXPECT_EQ(error({{large, 1e30f}}).code(), Errc::kBadInput);
  EXPECT_EQ(error({{large, NAN}}).code(), Errc::kBadInput);
}

TEST_F(ControlVectors, WithoutTensorsAreRefused) {
  EXPECT_THAT(error({{write("none.gguf", {})}}).what(), AllOf(HasSubstr("none.gguf"), HasSubstr("without tensors")));
}

TEST_F(ControlVectors, ThatAreCutOffAreRefused) {
  const std::string file = write_one(1, 0.1f);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 40);
  EXPECT_THAT(error({{file}}).what(), AllOf(HasSubstr(file), HasSubstr("direction.1")));
}

TEST_F(ControlVectors, InARangeThatMakesNoSenseAreRefused) {
  const std::string file = write_one(2, 0.1f);
  for (const LayerRange range : {LayerRange{3, 2}, LayerRange{3, 0}, LayerRange{0, 1}}) {
    EXPECT_EQ(error({{file}}, range).code(), Errc::kBadInput);
    EXPECT_THAT(error({{file}}, range).what(), HasSubstr("load.control_layers"));
  }
}

}  // namespace
}  // namespace skald::control_vectors_test
