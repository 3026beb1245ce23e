// Vectors and scores as people and programs want them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skald {

/// Numbers in rows: of a vector for each text, or of one text a vector for each token.
struct VectorRows {
  std::vector<float> values;
  int64_t rows, width;
  bool of_tokens = false;
};

/// Returns the list of OpenAI's embeddings API; `tokens`: that were read. Rows of tokens are one embedding.
std::string embeddings_json(const VectorRows& vectors, const std::string& model, int64_t tokens);

/// A document and its score.
struct Ranked {
  size_t index;  // in the order in which documents were given
  float score;
};

/// Returns the best `most` of the scores, falling; of equal ones the first. `most` < 0: all.
std::vector<Ranked> ranked(std::span<const float> scores, int64_t most);

/// Returns the answer of the rerank API that Jina and Cohere share.
std::string ranking_json(std::span<const Ranked> ranking, const std::string& model);
/// With the beginning of each document's text.
std::string ranking_table(std::span<const Ranked> ranking, std::span<const std::string> documents);

}  // namespace skald
