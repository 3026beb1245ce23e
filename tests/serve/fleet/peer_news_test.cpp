// What servers tell each other, and texts that are none of theirs.
#include "serve/fleet/peer_news.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace skald::serve::peer_news_test {
namespace {

const PeerNews kNews{.server = "word",
                     .version = "word-3",
                     .load = {.running = 2, .waiting = 1, .parallel = 4},
                     .pages = std::vector<PrefixHash>{1, 0xfedcba9876543210}};

TEST(PeerNews, ComesBackAsItWas) {
  const PeerNews back = read_news(dump(news_json(kNews)));
  EXPECT_EQ(back.server, "word");
  EXPECT_EQ(back.version, "word-3");
  EXPECT_EQ(back.load.running, 2);
  EXPECT_EQ(back.load.parallel, 4);
  EXPECT_EQ(back.pages, kNews.pages);
}

TEST(PeerNews, WithoutPagesIsNotWithNone) {
  PeerNews news = kNews;
  news.pages.reset();
  EXPECT_FALSE(read_news(dump(news_json(news))).pages.has_value());
  news.pages.emplace();
  EXPECT_TRUE(read_news(dump(news_json(news))).pages.has_value());
}

TEST(PeerNews, HasAnotherVersionForOtherPagesAndServers) {
  const std::string one = version_of("word", {1, 2});
  EXPECT_EQ(version_of("word", {1, 2}), one);
  EXPECT_NE(version_of("word", {1, 3}), one);
  EXPECT_NE(version_of("word", {1}), one);
  EXPECT_NE(version_of("other", {1, 2}), one) << "a server that began anew has no page";
}

TEST(PeerNews, OfMostPagesFitsIntoItsBytes) {
  PeerNews news = kNews;
  news.pages->assign(PeerNews::kMostPages, ~PrefixHash{0});
  const std::string text = dump(news_json(news));
  EXPECT_LE(std::ssize(text), PeerNews::kMostBytes);
  EXPECT_EQ(read_news(text).pages->size(), PeerNews::kMostPages);
}

TEST(PeerNews, OfWrongTextsIsAnError) {
  const Json good = news_json(kNews);
  for (const char* key : {"server", "version", "running", "waiting", "parallel"}) {
    Json wrong = good;
    wrong.erase(key);
    EXPECT_THROW(read_news(dump(wrong)), Error) << key;
  }
  for (const auto& [key, value] : {std::pair<std::string, Json>{"pages", "12"},
                                   {"pages", "zzzzzzzzzzzzzzzz"},
                                   {"pages", std::string((PeerNews::kMostPages + 1) * 16, '0')},
                                   {"running", -1},
                                   {"parallel", 0},
                                   {"server", std::string(1000, 'a')}}) {
    Json wrong = good;
    wrong[key] = value;
    EXPECT_THROW(read_news(dump(wrong)), Error) << key;
  }
  for (const char* text : {"", "[]", "{", "{\"server\": 1}"}) EXPECT_THROW(read_news(text), Error) << text;
}

TEST(ServerLoad, IsThatWhichANewRequestWaitsFor) {
  EXPECT_EQ((ServerLoad{.running = 0, .waiting = 0, .parallel = 2}.ahead()), 0);
  EXPECT_EQ((ServerLoad{.running = 1, .waiting = 0, .parallel = 2}.ahead()), 0);
  EXPECT_EQ((ServerLoad{.running = 2, .waiting = 0, .parallel = 2}.ahead()), 1);
  EXPECT_EQ((ServerLoad{.running = 2, .waiting = 3, .parallel = 2}.ahead()), 4);
}

}  // namespace
}  // namespace skald::serve::peer_news_test
