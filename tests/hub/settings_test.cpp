// The variables of huggingface_hub.
#include "hub/settings.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/errors.h"
#include "tests/support/temp_dir.h"

namespace skald::settings_test {
namespace {

HubSettings settings(std::map<std::string, std::string> variables) {
  variables.emplace("HOME", "/nobody");
  return hub_settings([&](const char* name) {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

TEST(HubSettings, HaveDefaults) {
  const HubSettings s = settings({});
  EXPECT_EQ(s.endpoint, "https://huggingface.co");
  EXPECT_EQ(s.cache, "/nobody/.cache/huggingface/hub");
  EXPECT_EQ(s.token, "");
  EXPECT_FALSE(s.offline);
}

TEST(HubSettings, FindTheCacheAsHuggingfaceHubDoes) {
  EXPECT_EQ(settings({{"XDG_CACHE_HOME", "/c"}}).cache, "/c/huggingface/hub");
  EXPECT_EQ(settings({{"XDG_CACHE_HOME", "/c"}, {"HF_HOME", "/h"}}).cache, "/h/hub");
  EXPECT_EQ(settings({{"HF_HOME", "/h"}, {"HF_HUB_CACHE", "/x"}}).cache, "/x");
  EXPECT_EQ(settings({{"HF_HOME", "~/h"}}).cache, "/nobody/h/hub");
  EXPECT_EQ(settings({{"HF_HUB_CACHE", "$A/${B}/$C/${"}, {"A", "/a"}, {"B", "b"}}).cache, "/a/b/$C/${");
  EXPECT_EQ(settings({{"HF_HOME", ""}}).cache, "/nobody/.cache/huggingface/hub");
}

TEST(HubSettings, TakeTheTokenFromTheEnvironmentElseFromAFile) {
  const test::TempDir dir;
  dir.write("token", "hf_file\n");
  dir.write("other", "  hf_other  ");
  EXPECT_EQ(settings({{"HF_HOME", dir.path("")}}).token, "hf_file");
  EXPECT_EQ(settings({{"HF_HOME", dir.path("")}, {"HF_TOKEN_PATH", dir.path("other")}}).token, "hf_other");
  EXPECT_EQ(settings({{"HF_HOME", dir.path("")}, {"HF_TOKEN", " hf_env\n"}}).token, "hf_env");
}

TEST(HubSettings, RefuseATokenThatWouldBeginAnotherHeaderWithoutShowingIt) {
  for (const char* token : {"hf_a\r\nX-Evil: 1", "hf_a b", "hf_\x01", "hf_\xc3\xa8"}) {
    const Error e = test::error_of([&] { settings({{"HF_TOKEN", token}}); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_EQ(std::string(e.what()).find("hf_"), std::string::npos);
  }
}

TEST(HubSettings, CheckTheEndpoint) {
  EXPECT_EQ(settings({{"HF_ENDPOINT", "http://127.0.0.1:80//"}}).endpoint, "http://127.0.0.1:80");
  for (const char* url : {"http://huggingface.co", "huggingface.co", "https://u:p@h.co"})
    EXPECT_EQ(test::error_of([&] { settings({{"HF_ENDPOINT", url}}); }).code(), Errc::kBadInput) << url;
}

TEST(HubSettings, KnowOffline) {
  for (const char* on : {"1", "true", "ON", "yes"}) EXPECT_TRUE(settings({{"HF_HUB_OFFLINE", on}}).offline) << on;
  for (const char* off : {"0", "", "no"}) EXPECT_FALSE(settings({{"HF_HUB_OFFLINE", off}}).offline) << off;
}

}  // namespace
}  // namespace skald::settings_test
