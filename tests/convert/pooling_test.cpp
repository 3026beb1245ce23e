#include "convert/pooling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/convert/tiny_folder.h"
#include "tests/support/errors.h"

namespace skald::pooling_test {
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
    add_pooling(open(), "x", meta);
    return meta;
  }
};

TEST(Pooling, IsReadFromTheModulesInBothSpellings) {
  EXPECT_EQ(
      Folder(json{{"pooling_mode_mean_tokens", true}, {"pooling_mode_cls_token", false}}).pooled().i64("x.pooling_type"), 1);
  EXPECT_EQ(
      Folder(json{{"pooling_mode_mean_tokens", false}, {"pooling_mode_cls_token", true}}).pooled().i64("x.pooling_type"), 2);
  EXPECT_EQ(Folder(json{{"pooling_mode", "lasttoken"}}).pooled().i64("x.pooling_type"), 3);
}

TEST(Pooling, NothingIsSaidWithoutModules) {
  Meta meta;
  add_pooling(TinyFolder().open(), "x", meta);
  EXPECT_TRUE(meta.entries().empty());
}

TEST(Pooling, OtherKindsAndPathsThatLeadOutAreRefused) {
  const Error other = test::error_of([] { Folder(json{{"pooling_mode_max_tokens", true}}).pooled(); });
  EXPECT_EQ(other.code(), Errc::kUnsupported);
  EXPECT_THAT(other.what(), HasSubstr("1_Pooling"));
  TinyFolder out;
  out.put("modules.json", {{{"path", "../x"}, {"type", "a.Pooling"}}});
  Meta meta;
  EXPECT_EQ(test::error_of([&] { add_pooling(out.open(), "x", meta); }).code(), Errc::kBadFile);
}

}  // namespace
}  // namespace skald::pooling_test
