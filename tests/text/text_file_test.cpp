// Text files that users name.
#include "text/text_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace skald::text_file_test {
namespace {

class TextFile : public testing::Test {
 protected:
  TextFile() { std::filesystem::create_directories(dir_); }
  ~TextFile() override { std::filesystem::remove_all(dir_); }

  std::string file(std::string_view content) const {
    std::ofstream(dir_ + "file", std::ios::binary) << content;
    return dir_ + "file";
  }
  static std::string error_of(const std::string& path) {
    try {
      read_text_file(path);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  const std::string dir_ = testing::TempDir() + "skald_text_file/";
};

TEST_F(TextFile, IsReadAsItIs) {
  for (const std::string text : {"", "a\r\nb\t\x1b[1m", "Zoë 你好\n"}) EXPECT_EQ(read_text_file(file(text)), text);
}

TEST_F(TextFile, TakesTheMemoryThatItHas) {
  EXPECT_LT(read_text_file(file("short")).capacity(), 64u);
  const std::string untold = read_text_file("/proc/self/status");  // its size is told as 0
  EXPECT_TRUE(untold.starts_with("Name:")) << untold;
  EXPECT_NE(untold.find("\nThreads:"), std::string::npos);
}

TEST_F(TextFile, IsRefusedByNameWhereItIsNone) {
  EXPECT_EQ(error_of(dir_ + "none"), dir_ + "none: cannot be read: there is no such file");
  EXPECT_EQ(error_of(dir_), dir_ + ": is a directory");
  const std::string pipe = dir_ + "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of(pipe), pipe + ": is no regular file") << "and nothing waits for it";
  EXPECT_EQ(error_of(file(std::string("ab\0c", 4))), dir_ + "file: is no text file: byte 2 is not UTF-8 text");
  EXPECT_EQ(error_of(file("a\xff")), dir_ + "file: is no text file: byte 1 is not UTF-8 text");
  EXPECT_EQ(error_of(file(std::string((16 << 20) + 1, 'a'))), dir_ + "file: has more than 16.00 MiB");
}

}  // namespace
}  // namespace skald::text_file_test
