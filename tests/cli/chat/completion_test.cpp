// The ways in which a typed line may go on.
#include "cli/chat/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/chat/chat_loop.h"

namespace skald::completion_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Paths : public testing::Test {
 protected:
  Paths() {
    std::filesystem::create_directories(dir_ + "notes");
    for (const char* name : {"note one.txt", "nöt", "nöx", ".hidden", "bad\nname", "other"})
      std::ofstream(dir_ + name) << "x";
  }
  ~Paths() override { std::filesystem::remove_all(dir_); }

  const std::string dir_ = testing::TempDir() + "skald_completion/";
};

TEST_F(Paths, AreThoseThatBeginAlike) {
  EXPECT_THAT(paths_like(dir_ + "no"), ElementsAre(dir_ + "note one.txt", dir_ + "notes/"));
  EXPECT_THAT(paths_like(dir_ + "o"), ElementsAre(dir_ + "other"));
  EXPECT_THAT(paths_like(dir_ + "."), ElementsAre(dir_ + ".hidden"));
  EXPECT_EQ(paths_like(dir_).size(), 5u) << "neither hidden ones nor those with line feeds";
  EXPECT_THAT(paths_like(dir_ + "none/x"), IsEmpty());
}

TEST_F(Paths, AgreeOnWholeCharacters) {
  const Completion both{.words = paths_like(dir_ + "n\xc3\xb6")};
  EXPECT_EQ(both.common(), dir_ + "nö");
  EXPECT_EQ((Completion{.words = {"aö", "aü"}}.common()), "a") << "which share a byte";
  EXPECT_EQ((Completion{.words = paths_like(dir_ + "no")}.listed()), "note one.txt  notes/  ");
  EXPECT_EQ(Completion{}.common(), "");
}

TEST_F(Paths, FollowCommandsThatTakeAFile) {
  EXPECT_THAT(ChatLoop::complete("/load " + dir_ + "ot").words, ElementsAre(dir_ + "other"));
  EXPECT_EQ(ChatLoop::complete("/read  x").from, 7u);
  EXPECT_THAT(ChatLoop::complete("/system " + dir_ + "ot").words, IsEmpty());
}

TEST(Completion, KnowsTheCommands) {
  EXPECT_THAT(ChatLoop::complete("/sa").words, ElementsAre("/save ", "/save! "));
  EXPECT_THAT(ChatLoop::complete("/cl").words, ElementsAre("/clear"));
  EXPECT_THAT(ChatLoop::complete("/nothing").words, IsEmpty());
}

TEST(Completion, ListsTheFirstOfMany) {
  EXPECT_TRUE((Completion{.words = std::vector<std::string>(150, "a/b")}.listed().ends_with("b  ... 50 more")));
}

}  // namespace
}  // namespace skald::completion_test
