// Loading a Hugging Face folder: the model is that of the GGUF file which it would become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "loading/loaded_model.h"
#include "skald/skald.h"
#include "tests/convert/back.h"
#include "tests/convert/hf_folder.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/progress.h"

namespace skald {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

const json kConfig = {{"architectures", {"Qwen2ForCausalLM"}},
                      {"hidden_size", 256},
                      {"intermediate_size", 256},
                      {"num_hidden_layers", 2},
                      {"num_attention_heads", 8},
                      {"num_key_value_heads", 2},
                      {"max_position_embeddings", 256},
                      {"rms_norm_eps", 1e-6},
                      {"rope_theta", 1e6},
                      {"vocab_size", 448},
                      {"tie_word_embeddings", true}};

class Directory : public testing::Test {
 protected:
  Directory() : folder_(kConfig), path_((test::data_dir() / "golden/qwen2/model.gguf").string()) {
    const Gguf golden = Gguf::open(path_, FileBytes::How::kMap);
    test::SafetensorsBytes checkpoint;
    test::Back back(golden, checkpoint);
    back.add("token_embd", "model.embed_tokens").add("output_norm", "model.norm");
    back.add("blk.#.attn_norm", "model.layers.#.input_layernorm");
    back.add("blk.#.ffn_norm", "model.layers.#.post_attention_layernorm");
    for (const char* x : {"q", "k", "v"})
      back.add(std::string("blk.#.attn_") + x, std::string("model.layers.#.self_attn.") + x + "_proj");
    back.add("blk.#.attn_output", "model.layers.#.self_attn.o_proj");
    for (const char* x : {"gate", "up", "down"})
      back.add(std::string("blk.#.ffn_") + x, std::string("model.layers.#.mlp.") + x + "_proj");
    folder_.checkpoint(checkpoint);
  }

  static std::vector<TokenId> tokens(const Model& model, bool repack = true) {
    Engine engine(model, {.device = {.n_threads = 2, .repack = repack}});
    return engine.generate({.prompt = {1, 2, 3}, .max_tokens = 8, .sampling = {.temperature = 0}, .on_event = {}}).tokens;
  }

  test::HfFolder folder_;
  std::string path_;
};

TEST_F(Directory, TakesOverridesForWhatItsConfigurationSays) {
  const Model model = Model::load(folder_.path(), {.override_kv = {"qwen2.context_length=int:128"}});
  EXPECT_EQ(model.n_ctx_train(), 128);
  const Error e = test::error_of([&] { Model::load(folder_.path(), {.override_kv = {"qwen2.block_count=int:3"}}); });
  EXPECT_THAT(e.what(), AllOf(HasSubstr(folder_.path()), HasSubstr("'qwen2.block_count=int:3'"), HasSubstr("blk.2.")));
}

TEST_F(Directory, GivesTheTokensOfTheFile) {
  const std::vector<TokenId> want = tokens(Model::load(path_));
  for (const bool mmap : {true, false})
    for (const bool repack : {true, false})
      EXPECT_EQ(tokens(Model::load(folder_.path(), {.mmap = mmap}), repack), want) << mmap << repack;
}

TEST_F(Directory, TensorsThatLieAsWantedStayInTheCheckpoint) {
  const auto mapped = LoadedModel::from_directory(folder_.path());
  EXPECT_GT(mapped->file_bytes(), mapped->weight_bytes() / 2);
  EXPECT_EQ(LoadedModel::from_directory(folder_.path(), {.mmap = false})->file_bytes(), 0);
}

TEST_F(Directory, SaysHowMuchOfWhatIsMadeInMemoryIsThere) {
  test::Heard some, all;
  const auto mapped = LoadedModel::from_directory(folder_.path(), {.on_progress = some.callback()});
  EXPECT_EQ(some.total(), mapped->weight_bytes() - mapped->file_bytes());
  LoadedModel::from_directory(folder_.path(), {.mmap = false, .on_progress = all.callback()});
  EXPECT_TRUE(all.went_to_the_end());
  EXPECT_EQ(all.total(), mapped->weight_bytes());
}

TEST_F(Directory, WithoutATokenizerOnlyTextIsAnError) {
  const Model model = Model::load(folder_.path());
  EXPECT_EQ(model.architecture(), "qwen2");
  EXPECT_EQ(test::error_of([&] { model.tokenize("a"); }).code(), Errc::kUnsupported);
}

TEST_F(Directory, ErrorsNameTheFolder) {
  folder_.write("model.safetensors", "junk");
  EXPECT_THAT(test::error_of([&] { Model::load(folder_.path()); }).what(), HasSubstr(folder_.path()));
  const test::TempDir empty;
  EXPECT_NE(std::string(test::error_of([&] { Model::load(empty.path("")); }).what()), "no error");
}

}  // namespace
}  // namespace skald
