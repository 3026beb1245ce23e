// The base of an adapter is read from its files, and hostile files tell nothing.
#include "hub/adapter_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/gguf.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

class AdapterFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(dir_.path(name), std::ios::binary) << content;
  }
  std::string base_of_folder() const { return adapter_facts(dir_.path("")).value().base; }
  std::optional<AdapterFacts> facts_of(const GgufWriter& file) const {
    file.write(dir_.path("a.gguf"));
    return adapter_facts(dir_.path("a.gguf"));
  }

  test::TempDir dir_;
};

TEST_F(AdapterFiles, OfPeftNameTheBaseInTheConfiguration) {
  EXPECT_EQ(adapter_facts(dir_.path("")), std::nullopt);
  write("adapter_config.json", R"({"base_model_name_or_path": "acme/one"})");
  write("README.md", "---\nbase_model: acme/two\n---\n");
  EXPECT_EQ(base_of_folder(), "acme/one");
}

TEST_F(AdapterFiles, OfPeftNameTheBaseInTheCardOtherwise) {
  write("README.md", "---\nbase_model: acme/two\n---\n");
  for (const std::string& config :
       {std::string("{}"), std::string("[]"), std::string("no JSON"), std::string(R"({"base_model_name_or_path": null})"),
        R"({"base_model_name_or_path": ")" + std::string(600, 'x') + "\"}", std::string(2 << 20, ' ') + "{}"}) {
    write("adapter_config.json", config);
    EXPECT_EQ(base_of_folder(), "acme/two") << config.substr(0, 40);
  }
}

TEST_F(AdapterFiles, OfGgufNameARepositoryRatherThanATitle) {
  GgufWriter file;
  file.meta.set("general.type", std::string("model"));
  EXPECT_EQ(facts_of(file), std::nullopt);
  file.meta.set("general.type", std::string("adapter"));
  file.meta.set("general.architecture", std::string("llama"));
  file.meta.set("general.base_model.0.name", std::string("One 1B"));
  EXPECT_EQ(facts_of(file)->base, "One 1B");
  EXPECT_EQ(facts_of(file)->arch, "llama");
  for (const auto& [url, base] : {std::pair{"https://huggingface.co/acme/one", "acme/one"},
                                  {"https://huggingface.co/acme/one/", "acme/one"},
                                  {"https://huggingface.co/acme", "One 1B"},
                                  {"https://", "One 1B"},
                                  {"https:///", "One 1B"},
                                  {"ftp://x/acme/one", "One 1B"}}) {
    file.meta.set("general.base_model.0.repo_url", std::string(url));
    EXPECT_EQ(facts_of(file)->base, base) << url;
  }
}

TEST_F(AdapterFiles, OfGgufMayHaveKeysOfOtherTypes) {
  GgufWriter file;
  file.meta.set("general.type", std::string("adapter"));
  file.meta.set("general.base_model.0.name", uint32_t{5});
  EXPECT_EQ(facts_of(file)->base, "");
}

TEST_F(AdapterFiles, AreNoneWhereTheyAreNotGguf) {
  write("a.gguf", "GGUF");
  EXPECT_EQ(adapter_facts(dir_.path("a.gguf")), std::nullopt);
  EXPECT_EQ(adapter_facts(dir_.path("none.gguf")), std::nullopt);
}

TEST(CardBase, IsTheFirstOfTheHead) {
  for (const auto& [card, base] : {std::pair{"---\nbase_model: a/b\n---\n", "a/b"},
                                   {"---\r\ntags:\r\n- x\r\nbase_model: \"a/b\"  # why\r\n---\r\n", "a/b"},
                                   {"---\nbase_model:\n- a/b\n- c/d\n---", "a/b"},
                                   {"---\nbase_model:\n  - 'a/b'\n", "a/b"},
                                   {"---\nbase_model: [a/b, c/d]\n---", "a/b"},
                                   {"---\nbase_model: ['a/b']", "a/b"},
                                   {"---\nbase_model: a/b # why\n---", "a/b"}})
    EXPECT_EQ(card_base(card), base) << card;
}

TEST(CardBase, IsEmptyWhereThereIsNone) {
  for (const char* card : {"", "\n", "---", "---\n---\nbase_model: a/b\n", "base_model: a/b\n", "---\n base_model: a/b\n---",
                           "---\nbase_model:\n---\n- a/b", "---\nbase_model:\ntags: x\n---", "---\nbase_model: []\n",
                           "---\nbase_model: [", "---\nbase_model: \"", "---\nbase_model_relation: adapter\n---"})
    EXPECT_EQ(card_base(card), "") << card;
  EXPECT_EQ(card_base("---\nbase_model: " + std::string(600, 'x') + "\n---"), "");
}

TEST(AdapterFacts, AreSafeToShow) {
  EXPECT_EQ(description({}), "an adapter (LoRA)");
  EXPECT_EQ(description({.base = "a\x1b[2J"}), "an adapter (LoRA) for a\\x1b[2J");
  EXPECT_EQ(description({.arch = "llama"}), "an adapter (LoRA) for models of the architecture llama");
}

TEST(AdapterFacts, GiveAWordThatAShellTakesAsItIs) {
  for (const char* base : {"acme/one", "acme/one:Q8_0", "one-1B"}) EXPECT_EQ(base_word({.base = base}), base);
  for (const char* base : {"", "One 1B", "$(id)", "a;b", "a/b;c", "u/r/$(id).gguf", "../x", "-m", "a`b`"})
    EXPECT_EQ(base_word({.base = base}), "MODEL") << base;
}

}  // namespace
}  // namespace skald
