#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/convert/tiny_folder.h"

namespace skald {
namespace {

using test::TinyFolder;
using ::testing::ElementsAre;

TinyFolder& with_vocabulary(TinyFolder& folder) { return folder.put("tokenizer.json", test::bpe_json({})); }

TEST(ChatTemplates, OfTokenizerConfig) {
  TinyFolder folder;
  with_vocabulary(folder).put("tokenizer_config.json", {{"chat_template", "{{ x }}\n"}});
  const Meta meta = folder.convert(256);
  EXPECT_EQ(meta.str("tokenizer.chat_template"), "{{ x }}\n");
  EXPECT_FALSE(meta.has("tokenizer.chat_templates"));
}

TEST(ChatTemplates, WithNames) {
  TinyFolder folder;
  const test::json list = {{{"name", "default"}, {"template", "D"}}, {{"name", "tool-use"}, {"template", "T"}}};
  with_vocabulary(folder).put("tokenizer_config.json", {{"chat_template", list}});
  const Meta meta = folder.convert(256);
  EXPECT_EQ(meta.str("tokenizer.chat_template"), "D");
  EXPECT_EQ(meta.str("tokenizer.chat_template.tool_use"), "T");
  EXPECT_THAT(meta.strings("tokenizer.chat_templates"), ElementsAre("tool_use"));
}

TEST(ChatTemplates, OfFilesOfTheirOwnComeFirst) {
  TinyFolder folder;
  with_vocabulary(folder)
      .put("tokenizer_config.json", {{"chat_template", "C"}})
      .put("chat_template.json", {{"chat_template", "J"}});
  EXPECT_EQ(folder.convert(256).str("tokenizer.chat_template"), "J");
  std::filesystem::create_directory(folder.path("additional_chat_templates"));
  folder.write("chat_template.jinja", "F")
      .write("additional_chat_templates/rag.jinja", "R")
      .write("additional_chat_templates/x.txt", "");
  const Meta meta = folder.convert(256);
  EXPECT_EQ(meta.str("tokenizer.chat_template"), "F");
  EXPECT_THAT(meta.strings("tokenizer.chat_templates"), ElementsAre("rag"));
}

TEST(ChatTemplates, NeedNotBeThere) {
  TinyFolder folder;
  EXPECT_FALSE(with_vocabulary(folder).convert(256).has("tokenizer.chat_template"));
}

}  // namespace
}  // namespace skald
