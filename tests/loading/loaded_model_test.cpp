// Loading: a model's own description, and errors that name the file and its fault.
#include "loading/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "skald/skald.h"
#include "tests/engine/requests.h"
#include "tests/loading/tiny_llama.h"
#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using test::TinyLlama;
using testing::AllOf;
using testing::HasSubstr;

class Loading : public testing::Test {
 protected:
  Model load(LoadOptions options = {}) {
    llama_.write(path());
    return Model::load(path(), options);
  }
  Error error() {
    return test::error_of([&] { load(); });
  }
  std::string path() const { return dir_.path("tiny.gguf"); }

  test::TempDir dir_;
  TinyLlama llama_;
};

TEST_F(Loading, GivesAModelThatRunsMappedOrRead) {
  for (const bool mmap : {true, false}) {
    const Model model = load({.mmap = mmap});
    EXPECT_EQ(model.architecture(), "llama");
    EXPECT_EQ(model.n_vocab(), TinyLlama::kVocab);
    EXPECT_EQ(model.n_ctx_train(), 64);
    Engine engine(model, {.device = {.n_threads = 2}});
    const Result r = engine.generate({.prompt = {1, 2, 3}, .max_tokens = 5, .sampling = {.temperature = 0}, .on_event = {}});
    EXPECT_EQ(r.tokens.size(), 5u);
    EXPECT_EQ(r.text, "") << "there is no tokenizer";
  }
}

TEST_F(Loading, TakesTheNameFromTheMetadataElseFromTheFile) {
  EXPECT_EQ(load().name(), "tiny");
  llama_.meta.set("general.name", std::string("Tiny Llama"));
  EXPECT_EQ(load().name(), "Tiny Llama");
}

TEST_F(Loading, SaysWhyThereIsNoTokenizerOnlyWhenItIsNeeded) {
  const Model model = load();
  const Error e = test::error_of([&] { model.tokenize("a"); });
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), HasSubstr("tokenizer"));
  EXPECT_EQ(model.loaded()->find_tokenizer(), nullptr);
}

TEST_F(Loading, TakesOverridesForWhatTheFileSays) {
  const Model model = load({.override_kv = {"llama.context_length=int:48", "general.name=str:Other"}});
  EXPECT_EQ(model.n_ctx_train(), 48);
  EXPECT_EQ(model.name(), "Other");
  EXPECT_EQ(std::get<uint32_t>(*model.loaded()->meta().find("llama.context_length")), 48u);
  EXPECT_EQ(Model::embedded({.override_kv = {"general.name=str:Other"}}).name(), "Other");
}

TEST_F(Loading, KnowsHowMuchLongerOverridesOfRopesScalingMakeAContext) {
  const auto scaled = [&](std::vector<std::string> overrides) {
    return load({.override_kv = std::move(overrides)}).loaded()->n_ctx_scaled();
  };
  EXPECT_EQ(scaled({}), 64);
  EXPECT_EQ(scaled({".rope.scaling.factor=float:4"}), 256);
  EXPECT_EQ(scaled({".rope.scaling.factor=float:0.5"}), 64);
  EXPECT_EQ(scaled({".rope.scaling.factor=float:1e12"}), int64_t{1} << 30);
  EXPECT_EQ(scaled({".rope.scaling.factor=float:4", ".rope.scaling.type=str:none"}), 64);
  llama_.meta.set("llama.rope.scaling.factor", 2.0f);  // the file's own is in its context's length
  EXPECT_EQ(scaled({}), 64);
  EXPECT_EQ(scaled({".rope.scaling.factor=float:4"}), 128);
}

TEST_F(Loading, NamesTheOverrideThatMakesAModelWrong) {
  const auto error_with = [&](const std::string& text) {
    return std::string(test::error_of([&] { load({.override_kv = {text}}); }).what());
  };
  EXPECT_THAT(error_with("llama.context_length"), HasSubstr("'llama.context_length'"));
  EXPECT_THAT(error_with("llama.context_length=str:x"), AllOf(HasSubstr(path()), HasSubstr("'llama.context_length=str:x'")));
  EXPECT_THAT(error_with("llama.block_count=int:2"),
              AllOf(HasSubstr(path()), HasSubstr("'llama.block_count=int:2'"), HasSubstr("blk.1.")));
  EXPECT_THAT(error_with("llama.rope.freq_base=str:x"),
              AllOf(HasSubstr("'llama.rope.freq_base=str:x'"), HasSubstr("want a number")));
  const Model model = Model::embedded({.override_kv = {"tokenizer.ggml.add_eos_token=str:x"}});
  EXPECT_THAT(test::error_of([&] { model.tokenize("a"); }).what(), HasSubstr("'tokenizer.ggml.add_eos_token=str:x'"));
}

TEST_F(Loading, NamesTheFileThatIsNotThere) {
  const Error e = test::error_of([&] { Model::load(dir_.path("none.gguf")); });
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), HasSubstr("none.gguf"));
}

TEST_F(Loading, NamesAnUnknownArchitectureAndTheKnownOnes) {
  llama_.meta.set("general.architecture", std::string("quokka"));
  const Error e = error();
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), AllOf(HasSubstr(path()), HasSubstr("'quokka'"), HasSubstr("llama"), HasSubstr("qwen2")));
}

TEST_F(Loading, NamesAMissingTensorAndItsShape) {
  llama_.remove("blk.0.ffn_up.weight");
  const Error e = error();
  EXPECT_EQ(e.code(), Errc::kNotFound);
  EXPECT_THAT(e.what(), AllOf(HasSubstr(path()), HasSubstr("blk.0.ffn_up.weight"), HasSubstr("(64, 32)")));
}

TEST_F(Loading, NamesATensorOfTheWrongShapeWithBothShapes) {
  llama_.set("blk.0.attn_q.weight", Shape{16, 32});
  const Error e = error();
  EXPECT_EQ(e.code(), Errc::kBadFile);
  EXPECT_THAT(e.what(),
              AllOf(HasSubstr(path()), HasSubstr("blk.0.attn_q.weight"), HasSubstr("(32, 32)"), HasSubstr("(16, 32)")));
}

TEST_F(Loading, NamesATensorOfATypeThatCannotBeComputedWith) {
  constexpr uint32_t kQ8_1 = 9;
  llama_.set("blk.0.attn_q.weight", Shape{8, 256}, kQ8_1);
  const Error e = error();
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), AllOf(HasSubstr(path()), HasSubstr("blk.0.attn_q.weight"), HasSubstr("q8_1")));
}

TEST_F(Loading, NamesAVectorThatIsNotF32) {
  constexpr uint32_t kF16 = 1;
  llama_.set("output_norm.weight", Shape{32}, kF16);
  const Error e = error();
  EXPECT_EQ(e.code(), Errc::kUnsupported);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("output_norm.weight"), HasSubstr("f16")));
}

TEST_F(Loading, NamesAMissingKeyAndOneOutOfRange) {
  llama_.meta.set("llama.context_length", uint32_t{0});
  EXPECT_THAT(error().what(), AllOf(HasSubstr(path()), HasSubstr("llama.context_length")));
  llama_.meta.set("llama.context_length", uint32_t{64});
  llama_.meta.set("llama.attention.head_count", uint32_t{3});
  EXPECT_THAT(error().what(), AllOf(HasSubstr(path()), HasSubstr("32"), HasSubstr("3 heads")));
  llama_.meta = {};
  EXPECT_THAT(error().what(), AllOf(HasSubstr(path()), HasSubstr("general.architecture")));
}

TEST_F(Loading, CountsParametersAndNamesTheMainFormat) {
  const std::shared_ptr<const LoadedModel> model = load().loaded();
  const int64_t matrices = TinyLlama::kVocab * 32 + 4 * 32 * 32 + 3 * 64 * 32;
  EXPECT_EQ(model->n_parameters(), matrices + 3 * 32);
  EXPECT_EQ(model->weight_bytes(), 4 * model->n_parameters());
  EXPECT_EQ(model->main_format(), "f32");
}

TEST(EmbeddedModel, IsThere) {
  const Model& model = test::story_model();
  EXPECT_EQ(model.name(), "skald-tiny");
  EXPECT_EQ(model.architecture(), "llama");
  EXPECT_GE(model.n_vocab(), 256 + 1) << "every byte and the end of text";
  EXPECT_GE(model.n_ctx_train(), 512) << "a whole story";
  EXPECT_EQ(model.loaded()->main_format(), "q8_0");
}

TEST(EmbeddedModel, TokenizesAndDetokenizes) {
  const Model& model = test::story_model();
  const std::string text = "Once upon a time, there was a café.";
  const std::vector<TokenId> ids = model.tokenize(text);
  EXPECT_EQ(ids[0], 0) << "BOS";
  EXPECT_EQ(model.detokenize(ids), text);
  EXPECT_EQ(model.tokenize(text, {.add_special = false}), std::vector(ids.begin() + 1, ids.end()));
  EXPECT_EQ(test::error_of([&] { model.detokenize(std::vector{static_cast<TokenId>(model.n_vocab())}); }).code(),
            Errc::kBadInput);
}

}  // namespace
}  // namespace skald
