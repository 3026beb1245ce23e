// Which server a prompt goes to.
#include "serve/fleet/server_choice.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace skald::serve::server_choice_test {
namespace {

TEST(ServerChoice, TakesTheLongestBeginning) {
  const std::vector<Candidate> all = {
      {.url = "a", .pages = 2}, {.url = "b", .pages = 5, .ahead = 3}, {.url = "c", .pages = 4}};
  EXPECT_EQ(choose_server(all, 7), 1u);
}

TEST(ServerChoice, TakesTheLessBusyOfEqualOnes) {
  const std::vector<Candidate> all = {
      {.url = "a", .pages = 5, .ahead = 2}, {.url = "b", .pages = 5, .ahead = 1}, {.url = "c", .pages = 4}};
  EXPECT_EQ(choose_server(all, 7), 1u);
}

TEST(ServerChoice, SpreadsPromptsThatNoServerHas) {
  const std::vector<Candidate> all = {{.url = "a"}, {.url = "b"}, {.url = "c"}};
  std::set<size_t> chosen;
  for (PrefixHash prefix = 0; prefix < 50; ++prefix) chosen.insert(choose_server(all, prefix));
  EXPECT_EQ(chosen.size(), 3u);
}

TEST(ServerChoice, IsTheSameWhicheverServerIsAsked) {
  const std::vector<Candidate> first = {{.url = "a", .here = true}, {.url = "b"}, {.url = "c"}};
  const std::vector<Candidate> second = {{.url = "c", .here = true}, {.url = "a"}, {.url = "b"}};
  for (PrefixHash prefix = 0; prefix < 50; ++prefix)
    EXPECT_EQ(first[choose_server(first, prefix)].url, second[choose_server(second, prefix)].url);
}

TEST(ServerChoice, MovesNoPromptBetweenTheServersThatStay) {
  const std::vector<Candidate> all = {{.url = "a"}, {.url = "b"}, {.url = "c"}}, less = {{.url = "a"}, {.url = "b"}};
  for (PrefixHash prefix = 0; prefix < 50; ++prefix) {
    const std::string& before = all[choose_server(all, prefix)].url;
    if (before == "c") continue;
    EXPECT_EQ(less[choose_server(less, prefix)].url, before);
  }
}

}  // namespace
}  // namespace skald::serve::server_choice_test
