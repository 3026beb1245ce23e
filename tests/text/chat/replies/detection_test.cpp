#include <filesystem>
#include <fstream>
#include <sstream>

#include "skald/error.h"
#include "tests/support/paths.h"
#include "tests/text/chat/replies/replies.h"

namespace skald::reply_detection_test {
namespace {

std::string file_text(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

TEST(Detection, GoesByWhatATemplateWrites) {
  EXPECT_EQ(detect_reply_format("{{ messages[0].content }}").name, "none");
  EXPECT_EQ(detect_reply_format("Use tools well. {{ messages[0].content }}").name, "none");
  EXPECT_EQ(detect_reply_format("{% if tools %}{{ tools | tojson }}{% endif %}").name, "json");
  EXPECT_EQ(detect_reply_format("{{ '<tool_call>{\"name\": \"' + f.name }}").name, "hermes");
  EXPECT_EQ(detect_reply_format("<tool_call>{{ f.name }}\n<arg_key>{{ k }}</arg_key>\n<arg_value>").name, "glm-4.5");
  EXPECT_EQ(detect_reply_format("<tool_call>{{ f.name }}<arg_key>{{ k }}</arg_key><arg_value>").name, "glm-4.7");
  EXPECT_EQ(detect_reply_format("<｜DSML｜function_calls>").name, "deepseek-v3.2");
  EXPECT_EQ(detect_reply_format("<｜DSML｜ calls>\n<｜DSML｜ invoke").name, "deepseek-v4.1");
  EXPECT_EQ(detect_reply_format("<|tool_call>call:{{ f.name }}").name, "gemma4");
  EXPECT_EQ(detect_reply_format("<|open|>tools<|sep|>").name, "kimi-k3");
}

// Of templates beside the repository, where they are.
TEST(Detection, IsOfOneFormatAtMost) {
  const std::filesystem::path folder = test::data_dir() / "../../../shared/templates";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jinja") continue;
    const std::string source = file_text(entry.path());
    int found = 0;
    for (const ReplyFormat* format : reply_formats()) found += format->is_of(source);
    EXPECT_LE(found, 1) << entry.path();
    // A template's text of tools is in a format that is known.
    EXPECT_NE(detect_reply_format(source).name, "json") << entry.path();
  }
}

TEST(Formats, AreFoundByName) {
  EXPECT_EQ(find_reply_format("hermes").name, "hermes");
  EXPECT_THROW(find_reply_format("Hermes"), Error);
}

}  // namespace
}  // namespace skald::reply_detection_test
