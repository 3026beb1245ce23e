#include "text/chat/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace skald {
namespace {

TEST(JsonText, IsATextAlone) {
  const nlohmann::ordered_json json = {{"a", "x"}, {"b", 1}, {"c", nullptr}};
  EXPECT_TRUE(is_text(json["a"], "x"));
  EXPECT_FALSE(is_text(json["a"], "y"));
  for (const char* other : {"b", "c"}) EXPECT_FALSE(is_text(json[other], "x"));
  EXPECT_FALSE(is_text(json, "x"));
}

}  // namespace
}  // namespace skald
