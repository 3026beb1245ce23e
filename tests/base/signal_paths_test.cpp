// The paths that handlers of signals find.
#include "base/signal_paths.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace skald {
namespace {

std::vector<std::string> all(const SignalPaths& paths) {
  std::vector<std::string> out;
  paths.for_each([&](const char* path) { out.emplace_back(path); });
  return out;
}

TEST(SignalPaths, FindsWhatLiesAtAnAddress) {
  std::array<std::byte, 8> a{}, b{};
  SignalPaths paths;
  paths.add(a.data(), a.size(), "a");
  paths.add(b.data(), b.size(), "b");
  EXPECT_STREQ(paths.at(a.data()), "a");
  EXPECT_STREQ(paths.at(&b.back()), "b");
  EXPECT_EQ(paths.at(&paths), nullptr);
  paths.remove(a.data());
  EXPECT_EQ(paths.at(a.data()), nullptr);
  EXPECT_EQ(all(paths), std::vector<std::string>{"b"});
}

TEST(SignalPaths, GivesPlacesOfWhatIsGoneToOthers) {
  std::array<char, 300> things{};
  SignalPaths paths;
  for (const char& thing : things) paths.add(&thing, 1, "x");
  EXPECT_EQ(all(paths).size(), 256U) << "further ones are not remembered";
  for (const char& thing : things) paths.remove(&thing);
  EXPECT_TRUE(all(paths).empty());
  paths.add(&things.back(), 1, "y");
  EXPECT_STREQ(paths.at(&things.back()), "y");
}

}  // namespace
}  // namespace skald
