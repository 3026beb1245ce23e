// The JSON Schema Test Suite (draft 2020-12), where it lies beside the checkout: nothing that is not valid is taken.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/sampling/grammar/schema/schema_texts.h"
#include "tests/support/paths.h"

namespace skald::schema_test {
namespace {

TEST(SchemaSuite, TakesNothingWrongAndMostOfWhatIsRight) {
  const auto path = test::shared_dir() / "grammar" / "suite.json";
  if (!std::filesystem::exists(path)) {
    std::cout << "skipped: no " << path << "\n";
    GTEST_SKIP();
  }
  std::ifstream file(path);
  int schemas = 0, refused = 0, valid = 0, rejected = 0;
  for (const auto& c : nlohmann::ordered_json::parse(file)) {
    ++schemas;
    try {
      SchemaTexts texts(c.at("schema").dump());
      for (const auto& t : c.at("tests")) {
        const auto text = t.at("text").get<std::string>();
        const bool takes = texts.takes(text);
        if (t.at("valid").is_null()) continue;
        valid += t.at("valid").get<bool>();
        rejected += t.at("valid").get<bool>() && !takes;
        EXPECT_FALSE(takes && !t.at("valid").get<bool>()) << c.at("name") << ": " << text;
      }
    } catch (const Error& e) {
      ++refused;
      EXPECT_TRUE(std::string(e.what()).starts_with("JSON schema: ")) << c.at("name") << ": " << e.what();
    }
  }
  EXPECT_LT(refused * 10, schemas * 4) << "of " << schemas;
  EXPECT_LT(rejected * 100, valid * 3) << "of " << valid;
}

}  // namespace
}  // namespace skald::schema_test
