// Vectors and rankings as JSON and as tables, character by character.
#include "tools/embed/embed_report.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(EmbeddingsJson, IsTheListOfTheApi) {
  EXPECT_EQ(embeddings_json({{0.5f, -1, 0.25f, 3}, 2, 2}, "a \"b\"", 7),
            "{\"object\": \"list\", \"data\": [\n"
            "{\"object\": \"embedding\", \"index\": 0, \"embedding\": [0.5, -1]},\n"
            "{\"object\": \"embedding\", \"index\": 1, \"embedding\": [0.25, 3]}\n"
            "], \"model\": \"a \\\"b\\\"\", \"usage\": {\"prompt_tokens\": 7, \"total_tokens\": 7}}\n");
  EXPECT_EQ(embeddings_json({{1, 2, 3, 4}, 2, 2, true}, "m", 2),
            "{\"object\": \"list\", \"data\": [\n"
            "{\"object\": \"embedding\", \"index\": 0, \"embedding\": [[1, 2], [3, 4]]}\n"
            "], \"model\": \"m\", \"usage\": {\"prompt_tokens\": 2, \"total_tokens\": 2}}\n");
}

TEST(Ranking, FallsAndKeepsTheOrderOfEqualScores) {
  const std::vector<float> scores = {1, 3, 1, -2};
  std::vector<size_t> order;
  for (const Ranked& r : ranked(scores, -1)) order.push_back(r.index);
  EXPECT_EQ(order, (std::vector<size_t>{1, 0, 2, 3}));
  EXPECT_EQ(ranked(scores, 2).size(), 2u);
  EXPECT_EQ(ranked(scores, 9).size(), 4u);
}

TEST(Ranking, IsATableOrJson) {
  const std::vector<Ranked> ranking = {{1, 0.5f}, {0, -2}};
  const std::vector<std::string> documents = {"a\tb", std::string(70, 'x')};
  EXPECT_EQ(ranking_table(ranking, documents),
            "| index |     score | document                                                        |\n"
            "| ----: | --------: | --------------------------------------------------------------- |\n"
            "|     1 |  0.500000 | xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... |\n"
            "|     0 | -2.000000 | a\\tb                                                            |\n");
  EXPECT_EQ(ranking_json(ranking, "m"),
            "{\"object\": \"list\", \"model\": \"m\", \"results\": [\n"
            "{\"index\": 1, \"relevance_score\": 0.5},\n"
            "{\"index\": 0, \"relevance_score\": -2}\n]}\n");
}

}  // namespace
}  // namespace skald
