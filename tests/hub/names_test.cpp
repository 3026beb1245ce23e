// Names of a hub: users' forms are understood, and names that could do harm are rejected.
#include "hub/names.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

TEST(HubName, IsARepositoryAndATagOrAFile) {
  const HubName plain = parse_hub_name("bartowski/Llama-3.2_1B.GGUF");
  EXPECT_EQ(plain.repo.user, "bartowski");
  EXPECT_EQ(plain.repo.name, "Llama-3.2_1B.GGUF");
  EXPECT_TRUE(plain.tag.empty() && plain.file.empty());
  EXPECT_EQ(parse_hub_name("u/r:Q4_K_M").tag, "Q4_K_M");
  EXPECT_EQ(parse_hub_name("u/r:UD-Q4_K_XL").tag, "UD-Q4_K_XL");
  EXPECT_EQ(parse_hub_name("u/r/sub/model.gguf").file, "sub/model.gguf");
  for (const char* text : {"u/r", "u/r:Q8_0", "u/r/a/b.gguf"}) EXPECT_EQ(parse_hub_name(text).text(), text);
}

TEST(HubName, IsRefusedWhereItIsNone) {
  const std::string long_word(97, 'a');
  for (const std::string& text : {std::string(""),
                                  std::string("word"),
                                  std::string("/r"),
                                  std::string("u/"),
                                  std::string("../r"),
                                  std::string("u/.."),
                                  std::string(".u/r"),
                                  std::string("-u/r"),
                                  std::string("u/a..b"),
                                  std::string("u/a--b"),
                                  std::string("u--v/r"),
                                  std::string("u/r:"),
                                  std::string("u/r:a/b"),
                                  std::string("u/r:-x"),
                                  std::string("u/r/"),
                                  std::string("u/r/x.bin"),
                                  std::string("u/r/../x.gguf"),
                                  std::string("u/r//x.gguf"),
                                  std::string("u/r/a\\x.gguf"),
                                  std::string("u/r/a\nx.gguf"),
                                  std::string("u r/x"),
                                  std::string("u/r x"),
                                  "u/" + long_word,
                                  long_word + "/r",
                                  std::string("u/r\n")}) {
    EXPECT_EQ(test::error_of([&] { parse_hub_name(text); }).code(), Errc::kBadInput) << text;
    EXPECT_EQ(find_hub_name(text), std::nullopt) << text;
  }
  EXPECT_NO_THROW(parse_hub_name("u/" + std::string(96, 'a')));
}

TEST(HubPath, StaysInItsFolder) {
  for (const char* path :
       {"model.gguf", "a/b/c.gguf", "Q4_K_M/model-00001-of-00002.gguf", "mod\xc3\xa8le.gguf", ".hidden", "a b"})
    EXPECT_NO_THROW(check_hub_path(path)) << path;
  for (const std::string& path :
       {std::string(""), std::string("/etc/passwd"), std::string("../x"), std::string("a/../../x"), std::string("a/.."),
        std::string("./x"), std::string("a//b"), std::string("a/"), std::string("a\\b"), std::string("C:\\x"),
        std::string("a\nb"), std::string("a\x1b[2J"), std::string("a\0b", 3), std::string("\xff"),
        std::string("a\xe2\x80\xae"
                    "b"),
        std::string("a\x7f"), std::string(256, 'a'), std::string("a..b")}) {
    const Error e = test::error_of([&] { check_hub_path(path); });
    EXPECT_EQ(e.code(), Errc::kBadFile) << path;
    EXPECT_NE(std::string(e.what()).find("name is refused"), std::string::npos);
    EXPECT_EQ(std::string(e.what()).find('\x1b'), std::string::npos);
  }
}

TEST(Revision, IsABranchATagOrACommit) {
  for (const char* revision : {"main", "v1.0", "refs/pr/1", "0123456789abcdef0123456789abcdef01234567"})
    EXPECT_NO_THROW(check_revision(revision)) << revision;
  for (const char* revision : {"", "../x", "a..b", "/main", "a b", "-x", "a?b", "a%2fb", "a/"})
    EXPECT_EQ(test::error_of([&] { check_revision(revision); }).code(), Errc::kBadInput) << revision;
}

TEST(Sums, AreHexadecimalDigitsInLowerCase) {
  const std::string digits(40, 'a'), many(64, '0');
  EXPECT_TRUE(is_commit(digits) && is_blob(digits) && is_blob(many));
  for (const std::string& text : {std::string(39, 'a'), std::string(40, 'A'), std::string(40, 'g'), many, std::string()})
    EXPECT_FALSE(is_commit(text)) << text;
  EXPECT_FALSE(is_blob(std::string(50, 'a')));
  EXPECT_FALSE(is_blob("../" + std::string(37, 'a')));
}

}  // namespace
}  // namespace skald
