// The other servers of a fleet: who answers, what they have, and for whom they are asked.
#include "serve/fleet/peers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>

#include "base/error.h"

namespace skald::serve::peers_test {
namespace {

using namespace std::chrono_literals;
constexpr auto kNoThread = 0ms;
const std::vector<PrefixHash> kPrompt = {11, 12, 13, 14};

/// Servers that answer, or do not, in this process.
struct Fleet {
  std::map<std::string, PeerNews> news = {};                    // by the URL
  std::vector<std::pair<std::string, std::string>> asked = {};  // URL and key

  Peers::Ask ask() {
    return [this](const std::string& url, const std::string& key, const std::function<void()>&) {
      asked.emplace_back(url, key);
      const auto found = news.find(url.substr(0, url.find("/prefixes")));
      if (found == news.end()) fail(Errc::kDevice, "refused");
      return dump(news_json(found->second));
    };
  }
  PeersOptions options(std::map<std::string, std::string> keys = {{"", ""}}) const {
    return {.urls = {"http://a", "http://b", "http://c"}, .keys = std::move(keys), .server = "me", .every = kNoThread};
  }
};

PeerNews has(const std::string& server, std::vector<PrefixHash> pages) {
  return {.server = server, .version = server + "-1", .load = {.parallel = 4}, .pages = std::move(pages)};
}

TEST(Peers, TellWhoHasHowMuchOfAPrompt) {
  Fleet fleet{.news = {{"http://a", has("me", {})}, {"http://b", has("b", {11, 12, 13})}, {"http://c", has("c", {99})}}};
  Peers peers(fleet.options(), fleet.ask());
  EXPECT_TRUE(peers.candidates("", kPrompt).empty()) << "none has answered yet";
  peers.ask_all();
  const std::vector<Candidate> found = peers.candidates("", kPrompt);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].url, "http://b");
  EXPECT_EQ(found[0].pages, 3);
  EXPECT_EQ(found[1].pages, 0);
  EXPECT_EQ(peers.own_url(), "http://a");
}

TEST(Peers, ThatDoNotAnswerAreDropped) {
  Fleet fleet{.news = {{"http://b", has("b", {11})}}};
  Peers peers(fleet.options(), fleet.ask());
  peers.ask_all();
  EXPECT_EQ(peers.candidates("", kPrompt).size(), 1u);
  fleet.news.clear();
  peers.ask_all();
  EXPECT_TRUE(peers.candidates("", kPrompt).empty());
  fleet.news["http://b"] = has("b", {11, 12});
  peers.ask_all();
  EXPECT_EQ(peers.candidates("", kPrompt).front().pages, 2);
}

TEST(Peers, ThatAnswerNonsenseAreDropped) {
  Fleet fleet;
  Peers peers(fleet.options(), [](const auto&, const auto&, const auto&) { return "<html>"; });
  peers.ask_all();
  EXPECT_TRUE(peers.candidates("", kPrompt).empty());
}

TEST(Peers, KeepThePagesOfAVersionThatDidNotChange) {
  Fleet fleet{.news = {{"http://b", has("b", {11, 12})}}};
  Peers peers(fleet.options(), fleet.ask());
  peers.ask_all();
  fleet.news["http://b"].pages.reset();
  fleet.asked.clear();
  peers.ask_all();
  EXPECT_TRUE(std::ranges::any_of(fleet.asked, [](const auto& one) { return one.first == "http://b/prefixes?since=b-1"; }));
  EXPECT_EQ(peers.candidates("", kPrompt).front().pages, 2);
}

TEST(Peers, AreAskedForTheOwnersThatCameWithTheirKeys) {
  Fleet fleet{.news = {{"http://b", has("b", {11})}}};
  Peers peers(fleet.options({{"owner1", "key1"}, {"owner2", "key2"}}), fleet.ask());
  peers.ask_all();
  EXPECT_EQ(fleet.asked[1], (std::pair<std::string, std::string>{"http://b/prefixes", "key1"})) << "to know who is alive";
  fleet.asked.clear();
  peers.candidates("owner2", kPrompt);
  peers.ask_all();
  for (const auto& [url, key] : fleet.asked) EXPECT_EQ(key, "key2") << url;
  EXPECT_EQ(peers.candidates("owner2", kPrompt).front().pages, 1);
  EXPECT_EQ(peers.candidates("owner1", kPrompt).front().pages, 0) << "what one key has is not told for another";
}

TEST(Peers, OfAThreadAreThereWithoutAWait) {
  Fleet fleet{.news = {{"http://b", has("b", {11})}}};
  PeersOptions options = fleet.options();
  options.every = 1ms;
  const auto until = std::chrono::steady_clock::now() + 30s;
  Peers peers(options, fleet.ask());
  while (peers.candidates("", kPrompt).empty() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(peers.candidates("", kPrompt).size(), 1u);
}

TEST(Peers, ThatHangDoNotDelayTheEnd) {
  std::promise<void> asked;
  Fleet fleet;
  PeersOptions options = fleet.options();
  options.every = 1ms;
  {
    Peers peers(options, [&](const auto&, const auto&, const std::function<void()>& look) -> std::string {
      asked.set_value();
      for (;;) look();  // throws at the end
    });
    asked.get_future().wait();
    EXPECT_TRUE(peers.candidates("", kPrompt).empty());
  }
}

}  // namespace
}  // namespace skald::serve::peers_test
