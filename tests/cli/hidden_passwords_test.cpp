// Passwords on the command line, as other users of the machine would see it.
#include "cli/hidden_passwords.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skald {
namespace {

std::string hidden(std::string argument) {
  char* const one = argument.data();
  hide_passwords(std::vector<char*>{one});
  return argument;
}

TEST(HiddenPasswords, AreThoseOfUrlsAlone) {
  EXPECT_EQ(hidden("redis://me:secret@host:1/0"), "redis://me:xxxxxx@host:1/0");
  EXPECT_EQ(hidden("--prefix-cache-url=rediss://:a@b@host?expire=1"), "--prefix-cache-url=rediss://:xxx@host?expire=1");
  for (const char* other :
       {"redis://host:1/0", "redis://me@host:1", "http://host/a:b@c", "a:b@c", "--port", "", "s3://b?endpoint=http://h:1"})
    EXPECT_EQ(hidden(other), other);
}

}  // namespace
}  // namespace skald
