#include "convert/sentence_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/convert/tiny_folder.h"
#include "tests/support/errors.h"
#include "tests/support/safetensors_bytes.h"

namespace skald::sentence_modules_test {
namespace {

using nlohmann::json;
using test::TinyFolder;
using ::testing::HasSubstr;

// A folder whose modules are a transformer and a pooling, of which `pooling` is the configuration.
struct Folder : TinyFolder {
  explicit Folder(const json& pooling) {
    std::filesystem::create_directory(path("1_Pooling"));
    put("1_Pooling/config.json", pooling);
    put("modules.json", {{{"idx", 0}, {"path", ""}, {"type", "sentence_transformers.models.Transformer"}},
                         {{"idx", 1}, {"path", "1_Pooling"}, {"type", "sentence_transformers.models.Pooling"}}});
  }
  Meta pooled() const {
    Meta meta;
    SentenceModules::read(open()).describe("x", meta);
    return meta;
  }
};

TEST(SentenceModules, PoolingIsReadFromTheModulesInBothSpellings) {
  EXPECT_EQ(
      Folder(json{{"pooling_mode_mean_tokens", true}, {"pooling_mode_cls_token", false}}).pooled().i64("x.pooling_type"), 1);
  EXPECT_EQ(
      Folder(json{{"pooling_mode_mean_tokens", false}, {"pooling_mode_cls_token", true}}).pooled().i64("x.pooling_type"), 2);
  EXPECT_EQ(Folder(json{{"pooling_mode", "lasttoken"}}).pooled().i64("x.pooling_type"), 3);
}

TEST(SentenceModules, TheMeanIsPooledWhereNoModeIsSaid) {
  EXPECT_EQ(Folder(json::object()).pooled().i64("x.pooling_type"), 1);
  EXPECT_EQ(Folder(json{{"pooling_mode_cls_token", false}}).pooled().i64("x.pooling_type"), 1);
  EXPECT_EQ(Folder(json{{"pooling_mode", {"cls"}}, {"pooling_mode_mean_tokens", true}}).pooled().i64("x.pooling_type"), 2);
}

TEST(SentenceModules, SeveralKindsOfPoolingAreRefusedByTheirNames) {
  for (const json& pooling : {json{{"pooling_mode_mean_tokens", true}, {"pooling_mode_cls_token", true}},
                              json{{"pooling_mode", {"cls", "mean"}}}}) {
    const Error e = test::error_of([&] { Folder(pooling).pooled(); });
    EXPECT_EQ(e.code(), Errc::kUnsupported);
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("1_Pooling"), HasSubstr("cls, mean")));
  }
  EXPECT_THAT(test::error_of([] { Folder(json{{"pooling_mode", "max"}}).pooled(); }).what(), HasSubstr("\"max\""));
  EXPECT_EQ(test::error_of([] { Folder(json{{"pooling_mode", 3}}).pooled(); }).code(), Errc::kBadFile);
}

TEST(SentenceModules, NothingIsSaidWithoutModules) {
  Meta meta;
  SentenceModules::read(TinyFolder().open()).describe("x", meta);
  EXPECT_TRUE(meta.entries().empty());
}

TEST(SentenceModules, OtherKindsOfPoolingAndPathsThatLeadOutAreRefused) {
  const Error other = test::error_of([] { Folder(json{{"pooling_mode_max_tokens", true}}).pooled(); });
  EXPECT_EQ(other.code(), Errc::kUnsupported);
  EXPECT_THAT(other.what(), HasSubstr("1_Pooling"));
  TinyFolder out;
  out.put("modules.json", {{{"path", "../x"}, {"type", "a.Pooling"}}});
  EXPECT_EQ(test::error_of([&] { SentenceModules::read(out.open()); }).code(), Errc::kBadFile);
}

// A folder with dense layers after the pooling, each with `more` in its configuration.
struct DenseFolder : Folder {
  explicit DenseFolder(const std::vector<json>& layers) : Folder(json{{"pooling_mode_mean_tokens", true}}) {
    json modules = {{{"path", "1_Pooling"}, {"type", "sentence_transformers.models.Pooling"}}};
    for (size_t i = 0; i < layers.size(); ++i) {
      const std::string name = std::to_string(i + 2) + "_Dense";
      std::filesystem::create_directory(path(name));
      json config = {{"bias", false}, {"activation_function", "torch.nn.modules.linear.Identity"}};
      config.update(layers[i]);
      put(name + "/config.json", config);
      write(name + "/model.safetensors",
            test::SafetensorsBytes().tensor("linear.weight", "F32", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6}).str());
      modules.push_back({{"path", name}, {"type", "sentence_transformers.models.Dense"}});
    }
    modules.push_back({{"path", "9_Normalize"}, {"type", "sentence_transformers.models.Normalize"}});
    put("modules.json", modules);
  }
};

TEST(SentenceModules, DenseLayersAreTakenInOrder) {
  const SentenceModules modules = SentenceModules::read(DenseFolder({json::object(), json::object()}).open());
  ASSERT_EQ(modules.dense.size(), 2u);
  EXPECT_EQ(modules.dense[0].name, "dense_2");
  EXPECT_EQ(modules.dense[1].name, "dense_3");
  std::vector<float> row(2);
  modules.dense[1].matrix->read(2, 1, 2, row.data());
  EXPECT_EQ(row, (std::vector<float>{3, 4}));
  Meta meta;
  modules.describe("x", meta);
  EXPECT_EQ(meta.i64("x.dense_2_feat_in"), 2);
  EXPECT_EQ(meta.i64("x.dense_3_feat_out"), 3);
}

TEST(SentenceModules, NothingIsTakenAfterALayerThatIsLeftOut) {
  for (const json& unfit : {json{{"bias", true}}, json{{"activation_function", "torch.nn.modules.activation.Tanh"}}}) {
    EXPECT_EQ(SentenceModules::read(DenseFolder({unfit, json::object()}).open()).dense.size(), 0u);
    EXPECT_EQ(SentenceModules::read(DenseFolder({json::object(), unfit}).open()).dense.size(), 1u);
  }
  EXPECT_EQ(SentenceModules::read(DenseFolder(std::vector<json>(3, json::object())).open()).dense.size(), 2u);
}

}  // namespace
}  // namespace skald::sentence_modules_test
