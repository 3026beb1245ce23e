// Folders of PEFT among the files of a repository, and adapters in forms that are refused.
#include "hub/adapter_folder.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

std::vector<HubFile> files(std::initializer_list<const char*> paths) {
  std::vector<HubFile> out;
  for (const char* path : paths) out.push_back({path, 5, std::string(64, 'a')});
  return out;
}

std::string refusal(const std::vector<HubFile>& all) {
  return test::error_of([&] { refuse_other_adapters(all); }).what();
}

TEST(AdapterFolder, IsItsConfigurationWeightsAndCard) {
  const auto all = files({"README.md", "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin", "m.gguf"});
  const auto adapter = adapter_folder(all);
  ASSERT_TRUE(adapter && adapter->adapter && adapter->is_folder);
  EXPECT_EQ(adapter->files.size(), 3u);
  for (const char* file : {"README.md", "adapter_config.json", "adapter_model.safetensors"}) EXPECT_TRUE(adapter->has(file));
}

TEST(AdapterFolder, LeavesALongCardOut) {
  auto all = files({"adapter_config.json", "adapter_model.safetensors", "README.md"});
  all[2].size = kLongestAdapterText + 1;
  EXPECT_FALSE(adapter_folder(all)->has("README.md"));
}

TEST(AdapterFolder, IsNoneWithoutItsFilesAtTheTop) {
  EXPECT_FALSE(adapter_folder(files({"adapter_config.json"})));
  EXPECT_FALSE(adapter_folder(files({"adapter_model.safetensors"})));
  EXPECT_FALSE(adapter_folder(files({"step-9/adapter_config.json", "step-9/adapter_model.safetensors"})));
}

TEST(AdapterFolder, HasTheRepositorysNameWhereItIsAlone) {
  const HubRepo repo{"u", "r"};
  const auto alone = models_of(files({"adapter_config.json", "adapter_model.safetensors"}));
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(name_of(repo, alone[0], alone).text(), "u/r");
  const auto both = models_of(files({"adapter_config.json", "adapter_model.safetensors", "m-Q8_0.gguf"}));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(name_of(repo, both[1], both).text(), "u/r:safetensors");
}

TEST(OtherAdapters, AreRefusedByTheirFiles) {
  EXPECT_NE(refusal(files({"adapter_config.json", "adapter_model.bin"})).find("adapter_model.bin"), std::string::npos);
  const char* shard = "adapter_model-00001-of-00002.safetensors";
  EXPECT_NE(refusal(files({"adapter_config.json", shard})).find(shard), std::string::npos);
  EXPECT_NE(refusal(files({"adapter_config.json"})).find("no adapter_model.safetensors"), std::string::npos);
  auto large = files({"adapter_config.json", "adapter_model.safetensors"});
  large[0].size = kLongestAdapterText + 1;
  EXPECT_NE(refusal(large).find("adapter_config.json"), std::string::npos);
  EXPECT_NO_THROW(refuse_other_adapters(files({"adapter_model.bin", "README.md"})));
}

}  // namespace
}  // namespace skald
