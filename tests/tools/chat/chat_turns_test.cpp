// Turns that a chat can do without, and the messages that stay.
#include "tools/chat/chat_turns.h"

#include <gtest/gtest.h>

#include <string>

namespace skald::chat_turns_test {
namespace {

using Json = nlohmann::ordered_json;

// A message for each letter, by its role.
Json chat(const std::string& letters) {
  Json out = Json::array();
  for (size_t i = 0; i < letters.size(); ++i) {
    const char c = letters[i];
    const char* role = c == 's' ? "system" : c == 'd' ? "developer" : c == 'u' ? "user" : c == 'a' ? "assistant" : "tool";
    out.push_back({{"role", role}, {"content", std::to_string(i)}});
  }
  return out;
}

std::string contents(const Json& messages) {
  std::string out;
  for (const Json& message : messages) out += message["content"].get<std::string>();
  return out;
}

TEST(ChatTurns, AllButTheLastOneMayBeForgotten) {
  EXPECT_EQ(turns_to_forget(Json::array()), 0u);
  EXPECT_EQ(turns_to_forget(chat("sa")), 0u);
  EXPECT_EQ(turns_to_forget(chat("suatata")), 0u);
  EXPECT_EQ(turns_to_forget(chat("suauauu")), 3u);
}

TEST(ChatTurns, GoWithTheirAnswersAndResultsFromTheOldestOn) {
  const Json messages = chat("suatauau");
  EXPECT_EQ(without_turns(messages, 0), messages);
  EXPECT_EQ(contents(without_turns(messages, 1)), "0567");
  EXPECT_EQ(contents(without_turns(messages, 2)), "07");
}

TEST(ChatTurns, SystemMessagesInFrontStayAndAGreetingGoes) {
  EXPECT_EQ(contents(without_turns(chat("sdauau"), 1)), "015");
  EXPECT_EQ(contents(without_turns(chat("auau"), 1)), "3");
}

}  // namespace
}  // namespace skald::chat_turns_test
